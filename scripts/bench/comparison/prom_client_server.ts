import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Gauge, Registry } from 'prom-client'
import { parseExposition } from '../../../test/metrics/exposition_text.ts'

/** Serves the samples of a file as gauges of prom-client, which renders them for each scrape. Prints the URL. */
const [file = ''] = process.argv.slice(2)
const registry = new Registry()
const gauges = new Map<string, Gauge>()
for (const { name, labels, value } of parseExposition(readFileSync(file, 'utf8'))) {
  const gauge =
    gauges.get(name) ??
    new Gauge({ name, help: name, labelNames: Object.keys(labels), registers: [registry] })
  gauges.set(name, gauge)
  try {
    gauge.set(labels, value)
  } catch {
    // A series with other labels than the first one of its family.
  }
}
const server = createServer(async (_, response) => response.end(await registry.metrics()))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
