import { expect, test } from 'vitest'
import { SCRAPER_PATHS } from '../../scripts/tools/scrapers.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import { POLLED_ONCE, waitForReadings, waitForSamples } from '../otlp/pushed.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { storedValues } from './series.ts'
import { JOB } from './start.ts'

const FEWEST_SERIES = 500

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
    await waitForReadings(setup.exporter.url)
    // A store keeps series that have ended for five minutes.
    setup.configure(`${systems}otlp: {endpoint: "${prometheus.url}/api/v1/otlp", interval: 1s}\n`)
    await setup.exporter.reload()
    await waitForSamples(setup.exporter.url, () => storedValues(prometheus.url, JOB), FEWEST_SERIES)
    const pushes = (await setup.scrape()).filter(({ name }) => name === 'sds_otlp_exports_total')
    expect(pushes.filter(({ labels, value }) => value > 0 && labels['result'] !== 'ok')).toEqual([])
    expect(setup.log.filter(({ message }) => message.includes('could not be pushed'))).toEqual([])
    expect(prometheus.log()).not.toMatch(/level=(WARN|ERROR).*otlp/i)
  } finally {
    await setup.exporter.stop()
    await emulator.stop()
  }
})
