// Serves the metrics of a file with client_golang.
//
//	client_golang (families | gaugevec) TEXT
//
// `families` gathers prebuilt families, `gaugevec` a GaugeVec for each family. Prints the URL of the listener.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sort"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func main() {
	families := read(os.Args[2])
	var gatherer prometheus.Gatherer = prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return families, nil })
	if os.Args[1] == "gaugevec" {
		gatherer = gauges(families)
	}
	http.Handle("/metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func read(path string) []*dto.MetricFamily {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	byName, err := parser.TextToMetricFamilies(file)
	if err != nil {
		log.Fatal(err)
	}
	families := []*dto.MetricFamily{}
	for _, family := range byName {
		families = append(families, family)
	}
	sort.Slice(families, func(a, b int) bool { return families[a].GetName() < families[b].GetName() })
	return families
}

// gauges has every gauge, counter and untyped metric as a gauge. Histograms and summaries are few, and are left out.
func gauges(families []*dto.MetricFamily) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	for _, family := range families {
		if family.GetType() == dto.MetricType_HISTOGRAM || family.GetType() == dto.MetricType_SUMMARY {
			continue
		}
		names := []string{}
		for _, pair := range family.Metric[0].Label {
			names = append(names, pair.GetName())
		}
		vector := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: family.GetName(), Help: family.GetHelp()}, names)
		for _, metric := range family.Metric {
			labels := prometheus.Labels{}
			for _, pair := range metric.Label {
				labels[pair.GetName()] = pair.GetValue()
			}
			gauge, err := vector.GetMetricWith(labels)
			if err != nil {
				continue
			}
			gauge.Set(metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + metric.GetUntyped().GetValue())
		}
		registry.MustRegister(vector)
	}
	return registry
}
