import { beforeAll, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { createPerformanceReader } from '../../../src/api/query/performance_reader.ts'
import { readRangeDefect } from '../../../src/api/query/requests/version.ts'
import type { NodePerformance, PerformanceReading } from '../../../src/api/query/values/performance.ts'
import { MEASUREMENTS } from '../../../src/query_catalogue.ts'
import { monitored, startClient, startEmulator } from '../client_setup.ts'
import { never } from '../http/responses.ts'
import { POLLED } from './query_files.ts'

/** Shortly after the emulator's counters began at zero, so that they are computed quickly. */
const START_MS = Date.parse('2026-03-14T03:34:59Z')
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
    ...POLLED,
    query: setup.client.query,
    hasRangeDefect: (signal) => readRangeDefect(setup.client.resource, signal),
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
  ...['query-error', 'status:503@query', 'combined-refused', 'combined-empty', 'no-rows', 'partial-nodes'],
  ...['partial-series', 'missing-bound', 'duplicate-rows', 'two-series', 'reordered-columns'],
  ...[MEASUREMENTS.transactions, MEASUREMENTS.errorCodes].map(({ name }) => `measurement-error:${name}`),
  // Of a store that is two points behind.
  'stale-points:600',
]
const POLLS = 6
const hasFault = (poll: number) => poll === 2 || poll === 3

let healthy: readonly PerformanceReading[]
let right: ReadonlyMap<string, number>
beforeAll(async () => {
  healthy = (await readAll(POLLS, () => [])).filter((reading) => reading !== undefined)
  right = new Map(healthy.flatMap((reading) => [...valuesOf(reading)]))
})

/** A slave has the traffic of its bond, an interface without a link has none; NaN: there is no such value. */
function rightValue(key: string): number {
  if (/ (received|transmitted) eth9 /.test(key)) return 0
  return right.get(key.replace(/ p?slave-\d /, ' public ')) ?? Number.NaN
}

/** Each value is that of a healthy system at its time, is not too old, and is not older than the one before. */
function expectRight(readings: readonly (PerformanceReading | undefined)[]): void {
  const newest = new Map<string, number>()
  for (const { stop = 0, ...reading } of readings.filter((one) => one !== undefined)) {
    for (const [key, value] of valuesOf({ stop, ...reading })) {
      expect(value, key).toBeCloseTo(rightValue(key), 6)
      const [, name = '', t] = /^(.*) (\d+)$/.exec(key) ?? []
      expect(stop - Number(t), key).toBeLessThanOrEqual(reading.maxAgeOf('CPU'))
      expect(Number(t), `older than before: ${key}`).toBeGreaterThanOrEqual(newest.get(name) ?? 0)
      newest.set(name, Number(t))
    }
  }
}

test.each(FAULTS)(
  'a value of a system with %s is that of its time on a healthy system, or absent',
  async (fault) => {
    expect(healthy).toHaveLength(POLLS)
    const faulty = await readAll(POLLS, (poll) => (hasFault(poll) ? [fault] : []))
    expectRight(faulty)
    const [last, expected] = [faulty, healthy].map((readings) => readings.at(-1))
    expect(last && valuesOf(last)).toEqual(expected && valuesOf(expected))
  },
)

/** Systems with other interfaces, and the values that are absent there. */
const INTERFACES = [
  ['bond-slaves:slave', /^$/],
  ['bond-slaves:pslave', /^$/],
  ['no-link:-1', /^$/],
  ['no-link:0', /^$/],
  ['interface-speed:-1', / nodeNic\w*Utilization /],
  ['interface-speed:0', / nodeNic\w*Utilization /],
] as const

test.each(INTERFACES)(
  'the values of a system with %s are those of a healthy system',
  async (fault, absent) => {
    const readings = await readAll(2, () => [fault])
    expectRight(readings)
    const known = new Set(readings.flatMap((reading) => (reading ? [...valuesOf(reading).keys()] : [])))
    const expected = healthy.slice(0, 2).flatMap((reading) => [...valuesOf(reading).keys()])
    expect(expected.filter((key) => !known.has(key) || absent.test(key))).toEqual(
      expected.filter((key) => absent.test(key)),
    )
  },
)

test.each([
  ['cm', 'diskReadBandwidthTotal'],
  ['private.4', 'nodeNicUtilization'],
] as const)('what is 10 minutes late, here %s, is in every sum', async (name, attribute) => {
  const readings = await readAll(POLLS, (poll) => (poll < 2 ? [] : [`late-series:${name}`]))
  expectRight(readings)
  for (const reading of readings)
    expect(reading?.nodes.map(({ values }) => values.has(attribute))).toEqual([true, true, true])
})
