import { beforeAll, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { NodePerformance, PerformanceReading } from '../../../src/api/query/performance.ts'
import { createPerformanceReader } from '../../../src/api/query/performance_reader.ts'
import { readRangeDefect } from '../../../src/api/query/version.ts'
import { MEASUREMENTS } from '../../../src/query_catalogue.ts'
import { monitored, startClient, startEmulator } from '../client_setup.ts'
import { never } from '../http/answers.ts'
import { NO_FILTER } from './query_files.ts'

const START_MS = Date.parse('2026-03-11T12:34:59Z')
const INTERVAL_MS = 300_000
const QUICK = 'limits: {requests_per_second: 1000}\npoll: {timeout: 30s}'

type Timed = readonly [name: string, t: number, value: number | undefined]

/** The values of a reading by node, name and time. */
function valuesOf({ nodes }: PerformanceReading): ReadonlyMap<string, number> {
  const all = nodes.flatMap((node) =>
    timedValues(node).flatMap(([name, t, value]): [string, number][] =>
      value === undefined ? [] : [[`${node.nodeId} ${name} ${t}`, value]],
    ),
  )
  return new Map(all)
}

function timedValues(node: NodePerformance): Timed[] {
  const { transactions, errorTypes } = node
  const [ofTotals, ofTypes] = [transactions?.t ?? 0, errorTypes?.t ?? 0]
  return [
    ...[...node.values].map(([name, { t, value }]): Timed => [name, t, value]),
    ['succeeded', ofTotals, transactions?.succeeded],
    ['failed', ofTotals, transactions?.failed],
    ['errors', ofTotals, transactions?.all?.value],
    ...(errorTypes?.types ?? []).flatMap(({ errorType, count, rate }): Timed[] => [
      [`count ${errorType}`, ofTypes, count],
      [`rate ${errorType}`, ofTypes, rate?.value],
    ]),
    ...[...node.latencies].flatMap(([operation, { t, buckets }]) =>
      buckets.map(({ seconds, count }): Timed => [`${operation} ${seconds}`, t, count]),
    ),
    ...node.interfaces.flatMap(({ name, t, receivedBytesPerSecond, transmittedBytesPerSecond }): Timed[] => [
      [`received ${name}`, t, receivedBytesPerSecond],
      [`transmitted ${name}`, t, transmittedBytesPerSecond],
    ]),
  ]
}

/** The readings of polls five minutes apart; undefined for a poll that fails. */
async function readAll(polls: number, faultsAt: (poll: number) => readonly string[]) {
  let poll = 0
  const clock = () => START_MS + poll * INTERVAL_MS
  await using emulator = await startEmulator({ profile: 'modern', pools: 1, nodes: 3, clock })
  await using setup = startClient(monitored(emulator.url), QUICK)
  const reader = createPerformanceReader({
    interfaces: NO_FILTER,
    query: setup.client.query,
    hasRangeDefect: (signal) => readRangeDefect(setup.client.read, signal),
    now: () => poll * INTERVAL_MS,
  })
  const readings: (PerformanceReading | undefined)[] = []
  for (; poll < polls; poll += 1) {
    emulator.setFaults(faultsAt(poll))
    readings.push(
      await reader.read(never()).then(
        ({ reading }) => reading,
        (failure: unknown) => {
          if (!(failure instanceof ApiError)) throw failure
          return undefined
        },
      ),
    )
  }
  return readings
}

/** Each is played in the third and fourth of six polls. */
const FAULTS = [
  'query-error',
  'query-error:internal',
  'query-error:timeout',
  'status:503@query',
  'status:500@vdc_nodes',
  'combined-refused',
  'combined-empty',
  'refused-operation:last',
  ...Object.values(MEASUREMENTS).map(({ name }) => `measurement-error:${name}`),
  'no-rows',
  'partial-nodes',
  'partial-series',
  'missing-bound',
  'two-series',
  'reordered-columns',
  'stale-points:300',
]
const POLLS = 6
const hasFault = (poll: number) => poll === 2 || poll === 3

let healthy: readonly PerformanceReading[]
beforeAll(async () => {
  healthy = (await readAll(POLLS, () => [])).filter((reading) => reading !== undefined)
})

test.each(FAULTS)(
  'a value of a system with %s is that of its time on a healthy system, or absent',
  async (fault) => {
    expect(healthy).toHaveLength(POLLS)
    const right = new Map(healthy.flatMap((reading) => [...valuesOf(reading)]))
    const faulty = await readAll(POLLS, (poll) => (hasFault(poll) ? [fault] : []))
    for (const { stop = 0, ...reading } of faulty.filter((one) => one !== undefined)) {
      for (const [key, value] of valuesOf({ stop, ...reading })) {
        expect(value, key).toBeCloseTo(right.get(key) ?? Number.NaN, 6)
        expect(stop - Number(key.split(' ').at(-1))).toBeLessThanOrEqual(reading.maxAgeSeconds)
      }
    }
    const [last, expected] = [faulty, healthy].map((readings) => readings.at(-1))
    expect(last && valuesOf(last)).toEqual(expected && valuesOf(expected))
  },
)
