import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { startVictoriaMetrics } from '../support/programs/victoria_metrics.ts'
import { backfillOf, differences, SECONDS_PER_HOUR, send, storedIn } from './remote_samples.ts'

/** The history of an emulated system goes to real receivers, which then have exactly the samples of the file. */
const TIMEOUT_MS = 240_000
const HOURS = 6

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

test(
  '--fill-gaps reads and writes just what Prometheus lacks',
  async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    await using prometheus = await startPrometheus({ config: {}, outOfOrderWindow: '1d' })
    const to = Math.floor(Date.now() / 1000 / SECONDS_PER_HOUR) * SECONDS_PER_HOUR
    const hour = (index: number) => to - (HOURS - index) * SECONDS_PER_HOUR
    const backfill = backfillOf(emulator.url, folder)
    const receiver = `--remote-write.url=${prometheus.url}/api/v1/write`
    expect(await backfill(hour(1), hour(2), receiver)).toMatchObject({ code: 0 })
    expect(await backfill(hour(4), hour(6), receiver)).toMatchObject({ code: 0 })
    emulator.log.clear()
    const fill = () =>
      backfill(hour(0), hour(6), receiver, '--fill-gaps', `--prometheus.url=${prometheus.url}`)
    expect(await fill()).toMatchObject({ code: 0 })
    const asked = emulator.log.requests().flatMap(({ operation, query }) => {
      const [, start, end] = /startTime=(\d+)&endTime=(\d+)/.exec(query) ?? []
      return operation === 'history' ? [[Number(start) + 300, Number(end)]] : []
    })
    expect(asked).toEqual([
      [hour(0), hour(1)],
      [hour(2), hour(4)],
    ])
    for (const points of (await storedIn(prometheus.url, hour(0), to)).values()) {
      expect(points.length).toBeLessThanOrEqual(HOURS * 12)
    }
    const [total] = [...(await storedIn(prometheus.url, hour(0), to))].filter(([series]) =>
      series.includes('space_total'),
    )
    expect(total?.[1].map(([t]) => t)).toEqual(
      Array.from({ length: HOURS * 12 }, (_, index) => hour(0) + index * 300),
    )
    emulator.log.clear()
    expect(await fill()).toMatchObject({ code: 0 })
    expect(emulator.log.count('history')).toBe(0)
  },
  TIMEOUT_MS,
)
