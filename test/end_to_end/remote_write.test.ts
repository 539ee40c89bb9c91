import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { get } from '../support/http.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { startVictoriaMetrics } from '../support/programs/victoria_metrics.ts'
import { differences, send, storedIn } from './remote_samples.ts'

/** The history of an emulated system goes to real receivers, which then have exactly the samples of the file. */
const TIMEOUT_MS = 240_000

test(
  'Prometheus has the same samples as the file, also after a second run',
  async () => {
    await using prometheus = await startPrometheus({ config: {}, outOfOrderWindow: '1d' })
    const { from, to, samples } = await send(`${prometheus.url}/api/v1/write`)
    expect(samples.size).toBeGreaterThan(70)
    expect(await storedIn(prometheus.url, from, to)).toEqual(samples)
    expect(prometheus.log()).not.toMatch(/duplicate|too old|out of bounds|level=error/i)
  },
  TIMEOUT_MS,
)

test(
  'VictoriaMetrics has the same samples as the file, also after a second run',
  async () => {
    // Samples of one series with the same time are stored once. The documentation says that this flag is needed.
    const once = '-dedup.minScrapeInterval=1ms'
    expect(readFileSync('docs/history.md', 'utf8')).toContain(`\`${once}\``)
    await using store = await startVictoriaMetrics(['-retentionPeriod=100y', once])
    const { from, to, samples } = await send(store.writeUrl)
    await get(`${store.url}/internal/force_flush`)
    // It stores numbers of a series with a common exponent, so that small ones lose digits.
    expect(samples.size).toBeGreaterThan(70)
    expect(differences(await storedIn(store.url, from, to), samples)).toEqual([])
  },
  TIMEOUT_MS,
)
