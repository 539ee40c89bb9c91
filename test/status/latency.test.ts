import { expect, test } from 'vitest'
import { withPerformance } from '../../src/state/changes.ts'
import { createRecent } from '../../src/status/recent.ts'
import { createStatusReader } from '../../src/status/status.ts'
import { T } from '../readings/setup.ts'
import { statusSources } from '../server/status/status_setup.ts'
import { polledSystem } from './systems.ts'

const system = polledSystem('a', { p: [{ name: 'n1' }] })

/** The system with a histogram of reads: counts of requests up to 0.1 s, 0.5 s, and of all. */
function withReads(t: number, [fast, slow, all]: readonly [number, number, number]) {
  const buckets = [
    { seconds: 0.1, count: fast },
    { seconds: 0.5, count: slow },
    { seconds: Number.POSITIVE_INFINITY, count: all },
  ]
  const node = {
    nodeId: 'id-n1',
    host: 'n1',
    rows: 1,
    values: new Map([['transactionReadTransactionsPerSec' as const, { t, value: 50, unit: 'TPS' as const }]]),
    transactions: undefined,
    errorTypes: undefined,
    latencies: new Map([['read' as const, { t, buckets }]]),
    interfaces: [],
  }
  const reading = { stop: t, maxAgeOf: () => 1320, nodes: [node], rejected: [] }
  return withPerformance(system, { reading, receivedAtMs: 0, failure: undefined })
}

/** The latency of reads and the alerts after these readings. */
function afterReadings(readings: readonly ReturnType<typeof withReads>[]) {
  const recent = createRecent(() => 0)
  for (const state of readings) recent.changed(state)
  const { problems, systems } = createStatusReader({
    ...statusSources(readings.slice(-1), { recent }),
    ready: () => true,
  })()
  const seconds = systems[0]?.pools[0]?.figures.read_latency_seconds
  return { seconds, alerts: problems.flatMap(({ alert }) => alert ?? []) }
}

test('the latency of a histogram is not known from one reading', () => {
  expect(afterReadings([withReads(T, [900, 950, 1000])])).toEqual({ seconds: null, alerts: [] })
})

test('it is the quantile of the requests between the readings', () => {
  const slow = [withReads(T - 300, [900, 950, 1000]), withReads(T, [900, 1050, 1100])]
  expect(afterReadings(slow)).toEqual({ seconds: 0.1 + 0.4 * 0.75, alerts: ['SdsReadLatencyHigh'] })
  const fast = [withReads(T - 300, [900, 950, 1000]), withReads(T, [1000, 1050, 1100])]
  expect(afterReadings(fast)).toEqual({ seconds: expect.closeTo(0.075), alerts: [] })
})

test('counts that begin at 0 again, and requests of more than 20 minutes ago', () => {
  const restarted = [withReads(T - 300, [900, 950, 1000]), withReads(T, [0, 100, 100])]
  expect(afterReadings(restarted).seconds).toBeCloseTo(0.4)
  const old = [
    withReads(T - 1800, [0, 0, 0]),
    withReads(T - 1500, [0, 1000, 1000]),
    withReads(T, [100, 1100, 1100]),
  ]
  expect(afterReadings(old).seconds).toBeCloseTo(0.075)
})
