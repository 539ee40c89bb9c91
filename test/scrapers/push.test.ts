import { expect, test } from 'vitest'
import { SCRAPER_PATHS } from '../../scripts/tools/scrapers.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import { get } from '../support/http.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { waitFor } from '../support/wait.ts'
import { differencesOf, storedValues, valuesOf } from './series.ts'
import { JOB } from './start.ts'

/** Polled at the start, and then not before the test has ended. */
const POLLED_ONCE = 'poll: {schedule: "0 0 0 31 12 *", stale_after: 400d}'
/** Own metrics whose values are others in each scrape. */
const CHANGING = /^(process_|nodejs_|sds_otlp_)/
/** Of connections that are open in a moment only. */
const TRANSIENT = /^(more|missing): nodejs_active_/
/** Read after the nodes. */
const LAST_READ = [
  'sds_node_transaction_latency_seconds_bucket{',
  'sds_node_nic_bytes_per_second{',
  'address="',
]
const FEWEST_SERIES = 500

/** The count of a histogram is a part of it in OTLP. */
function withCount(sample: Sample): Sample[] {
  const { le, ...labels } = sample.labels
  if (sample.name !== 'sds_node_transaction_latency_seconds_bucket' || le !== '+Inf') return [sample]
  return [sample, { name: 'sds_node_transaction_latency_seconds_count', labels, value: sample.value }]
}

test.each([
  ['by default', {}],
  ['without translation', { otlp: { translation_strategy: 'NoTranslation' } }],
])('Prometheus 3 has every sample of a scrape from a push, %s', async (_, config) => {
  await using prometheus = await startPrometheus({
    program: SCRAPER_PATHS.prometheus3,
    config,
    flags: ['--web.enable-otlp-receiver'],
  })
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'modern', nodes: 8 })
  await emulator.start()
  const system = `{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}, labels: {site: "a \\"b\\""}}`
  const systems = `systems: [${system}]\n${POLLED_ONCE}\n`
  const setup = await startExporter(systems)
  try {
    const isRead = async () => {
      const scraped = await get(`${setup.exporter.url}/metrics`)
      return LAST_READ.every((name) => scraped.text.includes(name))
    }
    await waitFor(isRead, { what: 'all readings' })
    // A store keeps series that have ended for five minutes.
    setup.configure(`${systems}otlp: {endpoint: "${prometheus.url}/api/v1/otlp", interval: 1s}\n`)
    await setup.exporter.reload()
    let [text, differences]: [string, readonly string[]] = ['', []]
    await waitFor(
      async () => {
        ;({ text } = await get(`${setup.exporter.url}/metrics`))
        const expected = valuesOf(parseExposition(text).flatMap(withCount))
        const all = differencesOf(await storedValues(prometheus.url, JOB), expected)
        differences = all.filter((line) => !TRANSIENT.test(line) && !CHANGING.test(line))
        return expected.size > FEWEST_SERIES && differences.length === 0
      },
      {
        what: 'the values of the exporter',

        interval: 500,
        detail: () => differences.slice(0, 30).join('\n'),
      },
    )
    const samples = parseExposition(await (await get(`${setup.exporter.url}/metrics`)).text)
    expect(
      samples.filter(
        ({ name, labels, value }) =>
          name === 'sds_otlp_exports_total' && labels['result'] !== 'ok' && value > 0,
      ),
    ).toEqual([])
    expect(prometheus.log()).not.toMatch(/level=(WARN|ERROR).*otlp/i)
  } finally {
    await setup.exporter.stop()
    await emulator.stop()
  }
})
