import { describe, expect, test } from 'vitest'
import { NOW, startEmulator } from '../client.ts'
import { rowsOf, script, seriesBy, TRANSACTIONS } from './client.ts'

const HOUR_MS = 3_600_000
const THROUGHPUT = 'statDataHead_performance_internal_throughput'

const key =
  (...names: string[]) =>
  (row: Record<string, string>) =>
    names.map((name) => row[name]).join(' ')

describe('counters', () => {
  test('are the same for the same seed, whenever they were asked for before', async () => {
    let now = NOW - 30 * HOUR_MS
    const early = await startEmulator({ profile: 'modern', clock: () => now })
    const flux = script('monitoring_main', TRANSACTIONS)
    for (let step = 0; step < 4; step++) {
      await rowsOf(early, flux)
      now += 7.3 * HOUR_MS
    }
    now = NOW
    const fresh = await startEmulator({ profile: 'modern', clock: () => NOW })
    expect(await rowsOf(early, flux)).toEqual(await rowsOf(fresh, flux))
  })

  test('restart once a week, and are ascending until then', async () => {
    const emulator = await startEmulator({ profile: 'modern', pools: 1, nodes: 1 })
    const flux = script('monitoring_main', THROUGHPUT, '', 'start: -14d')
    const [points = []] = [...(await seriesBy(emulator, flux, key('_field'))).values()]
    const restarts = points.filter(({ value }, index) => value < (points[index - 1]?.value ?? 0))
    expect(restarts.map(({ time }) => new Date((time - (time % 300)) * 1000).toISOString())).toEqual([
      '2026-02-28T02:00:00.000Z',
      '2026-03-07T02:00:00.000Z',
    ])
  })

  test('of a node have no points while it is down, and restart afterwards', async () => {
    const emulator = await startEmulator({ profile: 'modern', pools: 1 })
    const flux = script('monitoring_main', THROUGHPUT, '', 'start: -3h')
    const before = await seriesBy(emulator, flux, key('host', '_field'))
    emulator.setScenario('node-down', NOW / 1000 - 7_200)
    emulator.setScenario('healthy', NOW / 1000 - 3_600)
    const after = await seriesBy(emulator, flux, key('host', '_field'))
    const down = 'hot-node-01 total_read_requests_size'
    const times = (after.get(down) ?? []).map(({ time }) => time)
    expect(times.filter((time) => time > NOW / 1000 - 6_600 && time < NOW / 1000 - 3_900)).toEqual([])
    const newest = after.get(down)?.at(-1)?.value ?? 0
    expect(newest).toBeGreaterThan(0)
    expect(newest).toBeLessThan((before.get(down)?.at(-1)?.value ?? 0) / 10)
    const other = 'hot-node-02 total_read_requests_size'
    expect(after.get(other)).toEqual(before.get(other))
  })

  test('of errors do not exist for a node that had none', async () => {
    const emulator = await startEmulator({ profile: 'modern', pools: 1 })
    const series = await seriesBy(emulator, script('monitoring_main', TRANSACTIONS), key('_field', 'host'))
    expect([...series.keys()].filter((name) => name.startsWith('failed'))).toHaveLength(4)
    expect([...series.keys()].filter((name) => name.startsWith('succeed'))).toHaveLength(5)
  })
})
