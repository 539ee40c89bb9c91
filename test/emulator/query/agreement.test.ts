import { describe, expect, test } from 'vitest'
import { SCENARIO_NAMES } from '../../../src/emulator/model/scenarios.ts'
import type { Emulator } from '../../support/programs/emulator.ts'
import { call, feedPath, type Json, NOW, seriesIn, startEmulator } from '../client.ts'
import { LATENCY, type Point, rowsOf, script, seriesBy, TRANSACTIONS } from './client.ts'

const INTERVAL = 300
const HOUR_MS = 3_600_000
const SEED = 'agreement'
const PREFIX = 'statDataHead_performance_internal'
const MEGABYTE = 1_000_000
/** The feed has three decimals. */
const ROUNDING = 0.0011
const PURPOSES = { Ec: 'EC', Cc: 'CC', Recovery: 'RECOVER', Geo: 'GEO', User: 'USER', Xor: 'XOR' }
const MIDDLES = new Map(bucketMiddles())

function* bucketMiddles(): Iterable<[string, { lower: string; middle: number }]> {
  const bounds =
    '0.0 1.0 4.814963904455889 23.183877401213103 111.6295328521717 537.4921713544796 ' +
    '2588.0054039994393 12461.15260479408 59999.999999999985 +Inf'
  let lower = ''
  for (const bound of bounds.split(' ')) {
    yield [bound, { lower, middle: (Number(lower) + Number(bound)) / 2 }]
    lower = bound
  }
}

/** The nodes of the feed by id, with the history of an hour. */
async function feedOf(emulator: Emulator, time: number): Promise<Map<string, Json>> {
  const start = Math.floor((time - HOUR_MS) / 1_000)
  const query = `dataType=historical&startTime=${start}&interval=${INTERVAL}`
  const pools = await Promise.all(
    emulator.pools.map(async (_, pool) => (await call(emulator, feedPath(emulator, query, pool))).json()),
  )
  const nodes: Json[] = pools.flatMap(({ _embedded }) => _embedded._instances)
  return new Map(nodes.map((node) => [node.id, node]))
}

/** A rate of two neighbouring points, and the end of the interval in the feed. */
interface Rate {
  readonly t: number
  readonly seconds: number
  readonly perSecond: number
}

function ratesOf(points: readonly Point[] = []): Rate[] {
  return points.slice(1).flatMap(({ time, value }, index) => {
    const before = points[index] as Point
    const seconds = time - before.time
    if (value < before.value || seconds > 2 * INTERVAL) return []
    return [{ t: gridTime(time), seconds, perSecond: (value - before.value) / seconds }]
  })
}

function gridTime(time: number): number {
  return time - (time % INTERVAL)
}

function feedValues(node: Json, attribute: string): Map<number, number> {
  return new Map(seriesIn(node, attribute).map(({ t, value }) => [t, value]))
}

/** Compares and counts the rates of several series, added up, with an attribute of the feed. */
function expectRates(
  series: readonly (readonly Point[] | undefined)[],
  node: Json,
  attribute: string,
  scale = 1,
) {
  const feed = feedValues(node, attribute)
  const [first, ...others] = series.map(ratesOf)
  for (const [index, { t, perSecond, seconds }] of (first ?? []).entries()) {
    const sum = others.reduce((total, rates) => total + (rates[index]?.perSecond ?? Number.NaN), perSecond)
    const rounding = ROUNDING + series.length / seconds / scale
    expect(Math.abs(sum / scale - (feed.get(t) ?? Number.NaN)), `${attribute} at ${t}`).toBeLessThan(rounding)
  }
  return first?.length ?? 0
}

const key =
  (...names: string[]) =>
  (row: Record<string, string>) =>
    names.map((name) => row[name]).join(' ')
const HOUR = 'start: -1h'

/** One storage system: its feed with all attributes, and its query interface as since version 3.6. */
interface Views {
  /** The nodes of the feed by id, with the history of an hour. */
  readonly feed: ReadonlyMap<string, Json>
  readonly modern: Emulator
}

/** Compares the figures of one kind. Returns the number of comparisons of a node that is accessible. */
type Comparison = (views: Views) => Promise<number>

/** One interval of each node in an hour is not complete, and one node may be down. */
const MIN_INTERVALS = 8
const MIN_NODES = 9

const COMPARISONS: Record<string, { compare: Comparison; perInterval: number }> = {
  CPU: { compare: compareCpu, perInterval: 1 },
  memory: { compare: compareMemory, perInterval: 2 },
  network: { compare: compareNetwork, perInterval: 2 },
  'throughput and disk I/O': { compare: compareThroughput, perInterval: 14 },
  transactions: { compare: compareTransactions, perInterval: 1 },
  'errors by type': { compare: compareErrorTypes, perInterval: 1 },
  latency: { compare: compareLatency, perInterval: 2 },
}

async function compareCpu({ feed, modern }: Views): Promise<number> {
  const cpu = await seriesBy(modern, script('monitoring_op', 'cpu', '', HOUR), key('node_id', '_field'))
  let compared = 0
  for (const [id, node] of feed) {
    const [user = [], system, nice] = ['user', 'system', 'nice'].map((name) => cpu.get(`${id} usage_${name}`))
    const busy = feedValues(node, 'nodeCpuUtilization')
    for (const [index, { time, value }] of user.entries()) {
      const sum = value + valueAt(system, index) + valueAt(nice, index)
      expect(sum).toBeCloseTo(valueIn(busy, gridTime(time)), 6)
      compared++
    }
  }
  return compared
}

async function compareMemory({ feed, modern }: Views): Promise<number> {
  const mem = await seriesBy(modern, script('monitoring_op', 'mem', '', HOUR), key('node_id', '_field'))
  const attributes = { used: 'nodeMemoryUtilizationBytes', used_percent: 'nodeMemoryUtilization' }
  let compared = 0
  for (const [id, node] of feed) {
    for (const [field, attribute] of Object.entries(attributes)) {
      const values = feedValues(node, attribute)
      for (const { time, value } of mem.get(`${id} ${field}`) ?? []) {
        expect(value).toBeCloseTo(valueIn(values, gridTime(time)), 3)
        compared++
      }
    }
  }
  return compared
}

async function compareNetwork({ feed, modern }: Views): Promise<number> {
  const columns = key('node_id', '_field', 'interface')
  const net = await seriesBy(modern, script('monitoring_op', 'net', '', HOUR), columns)
  let compared = 0
  for (const [id, node] of feed) {
    const sums = (field: string) => ['public', 'private.4'].map((name) => net.get(`${id} ${field} ${name}`))
    compared += expectRates(sums('bytes_recv'), node, 'nodeNicReceivedBandwidth', MEGABYTE)
    compared += expectRates(sums('bytes_sent'), node, 'nodeNicTransmittedBandwidth', MEGABYTE)
    const megabits = sums('speed').reduce((sum, points) => sum + valueAt(points, 0), 0)
    const used = feedValues(node, 'nodeNicReceivedUtilization')
    for (const { t, value } of megabits > 0 ? seriesIn(node, 'nodeNicReceivedBandwidth') : [])
      expect((100 * value * 8) / megabits).toBeCloseTo(valueIn(used, t), 3)
  }
  return compared
}

async function compareThroughput({ feed, modern }: Views): Promise<number> {
  const flux = `from(bucket: "monitoring_main") |> range(${HOUR}) |> filter(fn: (r) => r.tag == "dashboard")`
  const series = await seriesBy(modern, flux, key('node_id', '_field', 'process'))
  let compared = 0
  for (const [id, node] of feed) {
    for (const direction of ['Read', 'Write']) {
      const of = (field: string, process: string) =>
        series.get(`${id} ${field.replace('*', direction.toLowerCase())} ${process}`)
      const total = [of('total_*_requests_size', 'statDataHead')]
      compared += expectRates(total, node, `transaction${direction}Bandwidth`, MEGABYTE)
      for (const [purpose, name] of Object.entries(PURPOSES)) {
        const parts = ['blobsvc', 'cm'].map((process) => of(`*_${name}Total`, process))
        compared += expectRates(parts, node, `disk${direction}Bandwidth${purpose}`, MEGABYTE)
      }
    }
  }
  return compared
}

/** Counts of each interval, by its end. A series that begins has no count for its first point. */
function countsOf(points: readonly Point[] = []): Map<number, number> {
  const counts = new Map(points.map(({ time }) => [gridTime(time), Number.NaN]))
  for (const { t, seconds, perSecond } of ratesOf(points)) counts.set(t, Math.round(perSecond * seconds))
  return counts
}

function readCounts({ modern }: Views, name: string, column: string): Promise<Map<string, Point[]>> {
  const flux = script('monitoring_main', `${PREFIX}_${name}`, '', HOUR)
  return seriesBy(modern, flux, key('node_id', column))
}

async function compareTransactions(views: Views): Promise<number> {
  const series = new Map([
    ...(await readCounts(views, 'transactions', '_field')),
    ...(await readCounts(views, 'error', '_field')),
  ])
  let compared = 0
  for (const [id, node] of views.feed) {
    const of = (field: string) => countsOf(series.get(`${id} ${field}`))
    const [succeeded, failed] = [of('succeed_request_counter'), of('failed_request_counter')]
    const [user, system] = [of('user_errors'), of('system_errors')]
    for (const { t, value } of seriesIn(node.transactionErrors, 'all')) {
      const [good, bad] = [valueIn(succeeded, t), failed.get(t) ?? 0]
      const sum = (user.get(t) ?? 0) + (system.get(t) ?? 0)
      if (Number.isNaN(good + bad + sum)) continue
      expect((100 * bad) / (good + bad)).toBeCloseTo(value, 6)
      expect(sum).toBe(bad)
      compared++
    }
  }
  return compared
}

async function compareErrorTypes(views: Views): Promise<number> {
  const transactions = await readCounts(views, 'transactions', '_field')
  const codes = await readCounts(views, 'error_code', 'code')
  let compared = 0
  for (const [id, node] of views.feed) {
    const [succeeded, failed] = ['succeed', 'failed'].map((name) =>
      countsOf(transactions.get(`${id} ${name}_request_counter`)),
    )
    for (const type of node.transactionErrors.types) {
      const counted = countsOf(codes.get(`${id} ${type.errorType}`))
      for (const { t, value } of seriesIn(type, 'errorRate')) {
        const rate = (100 * valueIn(counted, t)) / (valueIn(succeeded, t) + valueIn(failed, t))
        if (Number.isNaN(rate)) continue
        expect(rate).toBeCloseTo(value, 6)
        compared++
      }
    }
  }
  return compared
}

/** The number of transactions, and their mean latency over the middles of the buckets. */
async function compareLatency({ feed, modern }: Views): Promise<number> {
  const flux = script('monitoring_main', LATENCY, '', HOUR)
  const series = await seriesBy(modern, flux, key('node_id', 'id', '_field'))
  let compared = 0
  for (const [id, node] of feed) {
    for (const [operation, direction] of Object.entries({ ttfb_read: 'Read', ttlb_write: 'Write' })) {
      const of = (bound: string) => series.get(`${id} ${operation} ${bound}`)
      compared += expectRates([of('+Inf')], node, `transaction${direction}TransactionsPerSec`)
      const means = feedValues(node, `transaction${direction}Latency`)
      // Counts are whole numbers: one transaction more or less in a high bucket changes the mean.
      for (const [t, mean] of meansOf(of)) expect(Math.abs(mean / valueIn(means, t) - 1)).toBeLessThan(0.03)
    }
  }
  return compared
}

/** The mean in ms of each interval, by the end of the interval. */
function meansOf(of: (bound: string) => readonly Point[] | undefined): Map<number, number> {
  const counts = new Map(
    [...MIDDLES.keys()].map((bound) => {
      return [bound, new Map(ratesOf(of(bound)).map(({ t, perSecond }) => [t, perSecond]))] as const
    }),
  )
  const means = new Map<number, number>()
  for (const [t, all] of counts.get('+Inf') ?? []) {
    let sum = 0
    for (const [bound, { lower, middle }] of MIDDLES) {
      const inBucket = (counts.get(bound)?.get(t) ?? 0) - (counts.get(lower)?.get(t) ?? 0)
      expect(inBucket).toBeGreaterThan(-0.01)
      if (bound !== '+Inf') sum += inBucket * middle
    }
    means.set(t, sum / all)
  }
  return means
}

function valueIn(values: ReadonlyMap<number, number> | undefined, t: number): number {
  return values?.get(t) ?? Number.NaN
}

function valueAt(points: readonly Point[] | undefined, index: number): number {
  return points?.[index]?.value ?? 0
}

const SUNDAY_NIGHT = Date.parse('2026-11-22T03:10:20Z')
/** In the hour in which all processes restart. */
const RESTART = Date.parse('2026-11-28T02:20:00Z')
const CASES = [
  ...SCENARIO_NAMES.map((scenario) => [scenario, 'on a Wednesday at noon', NOW] as const),
  ['healthy', 'on a Sunday night', SUNDAY_NIGHT] as const,
  ['error-burst', 'on a Sunday night', SUNDAY_NIGHT] as const,
  ['healthy', 'while all processes restart', RESTART] as const,
  ['disk-failures', 'while all processes restart', RESTART] as const,
]

test.each(CASES)(
  'scenario %s %s: the query interface has the figures of the feed',
  async (scenario, _, time) => {
    const options = { seed: SEED, scenario, clock: () => time }
    const classic = await startEmulator({ ...options, profile: 'classic' })
    const modern = await startEmulator({ ...options, profile: 'modern' })
    const feed = await feedOf(classic, time)
    expect(feed.size).toBe(10)
    for (const [name, { compare, perInterval }] of Object.entries(COMPARISONS)) {
      const compared = await compare({ feed, modern })
      expect(compared, name).toBeGreaterThan(MIN_NODES * MIN_INTERVALS * perInterval)
    }
  },
)

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
    const flux = script('monitoring_main', `${PREFIX}_throughput`, '', 'start: -14d')
    const [points = []] = [...(await seriesBy(emulator, flux, key('_field'))).values()]
    const restarts = points.filter(({ value }, index) => value < (points[index - 1]?.value ?? 0))
    expect(restarts.map(({ time }) => new Date(gridTime(time) * 1000).toISOString())).toEqual([
      '2026-02-28T02:00:00.000Z',
      '2026-03-07T02:00:00.000Z',
    ])
  })

  test('of a node have no points while it is down, and restart afterwards', async () => {
    const emulator = await startEmulator({ profile: 'modern', pools: 1 })
    const flux = script('monitoring_main', `${PREFIX}_throughput`, '', 'start: -3h')
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
