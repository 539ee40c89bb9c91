import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Serves the bytes of files: the least that a scrape can cost an HTTP server of Node.js. Prints the URL.
 *
 *   node ready_bytes.ts TEXT GZIP
 *
 * TEXT is sent to clients without gzip, GZIP to those with it.
 */
const [text, compressed] = process.argv.slice(2, 4).map((path) => readFileSync(path))
if (text === undefined || compressed === undefined) throw new Error('two files are needed')

const server = createServer((request, response) => {
  const isGzip = request.headers['accept-encoding']?.includes('gzip') === true
  const body = isGzip ? compressed : text
  if (isGzip) response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
