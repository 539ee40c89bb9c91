// Serves the bytes of files: the least that a scrape can cost an HTTP server of Go.
//
//	go run ready_bytes.go TEXT GZIP
//
// TEXT is sent to clients without gzip, GZIP to those with it. Prints the URL of the listener.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() {
	text, compressed := read(os.Args[1]), read(os.Args[2])
	http.HandleFunc("/metrics", func(response http.ResponseWriter, request *http.Request) {
		body := text
		header := response.Header()
		if strings.Contains(request.Header.Get("Accept-Encoding"), "gzip") {
			body = compressed
			header.Set("Content-Encoding", "gzip")
		}
		header.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		header.Set("Content-Length", strconv.Itoa(len(body)))
		response.Write(body)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func read(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	return content
}
