import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ATTRIBUTES, UNITS } from '../../src/catalogue.ts'
import { MEASUREMENTS, QUERY_SOURCES } from '../../src/query_catalogue.ts'
import { startEmulator } from '../api/client_setup.ts'
import { call, feedPath, type Json, seriesIn } from '../emulator/client.ts'
import { rowsOf, script } from '../emulator/query/client.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { getJson } from '../support/http.ts'
import { run } from '../support/processes.ts'
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts'
import { promtool } from '../support/promtool.ts'

/**
 * The performance history of a current system goes from its query interface through `backfill` and promtool into a new
 * Prometheus server. The same system as release 3.5 has the same figures in its feed.
 */
const TIMEOUT_MS = 240_000
const STEP = 300
const HOURS = 6
const POINTS = (HOURS * 3600) / STEP
const NODES = 3
/** Newer points of the query interface may not be there yet, and come while the test runs. */
const NEWEST_SECONDS = 900
type Emulator = Awaited<ReturnType<typeof startEmulator>>

let [from, to] = [0, 0]
let folder: Folder
let modern: Emulator
let prometheus: Prometheus
/** The nodes of the feed by name, with the history of the period. */
const feed = new Map<string, Json>()
const served: Json[][] = []

beforeAll(async () => {
  folder = temporaryFolder()
  to = Math.floor((Date.now() / 1000 - NEWEST_SECONDS) / STEP) * STEP
  from = to - HOURS * 3600
  const size = { pools: 1, nodes: NODES }
  modern = await startEmulator({ ...size, profile: 'modern' })
  {
    await using classic = await startEmulator({ ...size, profile: 'classic' })
    const query = `dataType=historical&startTime=${from - STEP}&endTime=${to}&interval=${STEP}`
    const answer = (await call(classic, feedPath(classic, query))).json()
    for (const node of answer._embedded._instances) feed.set(node.displayName, node)
  }
  const range = `start: ${new Date(from * 1000).toISOString()}, stop: ${new Date(to * 1000).toISOString()}`
  served.push(await rowsOf(modern, script('monitoring_main', MEASUREMENTS.latency.name, '', range)))
  served.push(await rowsOf(modern, script('monitoring_op', MEASUREMENTS.network.name, '', range)))
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${modern.url}", ${auth}}]\nlimits: {requests_per_second: 1000}\n`
  const config = `--config.file=${folder.write('sds-exporter.yml', text)}`
  const file = join(folder.path, 'history.om')
  const flags = [config, `--from=${from}`, `--to=${to}`, `--output=${file}`, '--label=job=sds']
  expect(await run(process.execPath, ['src/main.ts', 'backfill', ...flags])).toMatchObject({ code: 0 })
  const data = join(folder.path, 'data')
  const blocks = ['tsdb', 'create-blocks-from', '--max-block-duration=744h', 'openmetrics', file, data]
  expect(await promtool(blocks)).toMatchObject({ code: 0, stderr: '' })
  prometheus = await startPrometheus({ config: {}, dataFolder: data })
}, TIMEOUT_MS)
afterAll(async () => {
  await prometheus?.stop()
  await modern?.[Symbol.asyncDispose]()
  folder?.[Symbol.dispose]()
})

interface Stored {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, string])[]
}

/** The stored samples of series with these labels, as they are. */
async function storedSamples(
  family: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<Stored[]> {
  const query = new URLSearchParams({ query: `${family}[${to - from}s]`, time: String(to - 1) })
  const answer = (await getJson(`${prometheus.url}/api/v1/query?${query}`)) as { data: { result: Stored[] } }
  return answer.data.result.filter(({ metric }) =>
    Object.entries(labels).every(([label, value]) => metric[label] === value),
  )
}

/** The feed has three decimals in MB/s and percent, and counters are whole numbers. */
const ROUNDING = { bytes: 1, bytes_per_second: 1_100, '': 0.006, ratio: 0.000_02 } as const
/** The feed adds both directions, and the query interface has the busier one. */
const OTHER_MEANING = ['nodeNicUtilization']
const COMPARED = ATTRIBUTES.filter(({ name }) => name in QUERY_SOURCES && !OTHER_MEANING.includes(name))

test.each(COMPARED.map((attribute) => [attribute.name, attribute] as const))(
  '%s has the values of the system, at the times of the points',
  async (name, { historyFamily, labels, unit }) => {
    const stored = await storedSamples(historyFamily, labels)
    expect(stored.map(({ metric }) => metric['node']).toSorted()).toEqual([...feed.keys()].toSorted())
    const rounding = ROUNDING[UNITS[unit].base as keyof typeof ROUNDING] ?? 0
    for (const { metric, values } of stored) {
      expect(metric).toMatchObject({ system: 'a', pool: 'hot', job: 'sds' })
      // A restart of the processes leaves out one point.
      expect(values.length).toBeGreaterThanOrEqual(POINTS - 2)
      const expected = new Map(
        seriesIn(feed.get(metric['node'] ?? '') as Json, name).map(({ t, value }) => [
          t,
          UNITS[unit].toBase(value),
        ]),
      )
      for (const [t, value] of values) {
        const ofInterval = expected.get(t - (t % STEP)) ?? Number.NaN
        expect(Math.abs(Number(value) - ofInterval), `${name} at ${t}`).toBeLessThanOrEqual(rounding)
      }
    }
  },
)

/** The points of rows by key. */
function pointsOf(rows: readonly Json[], keyOf: (row: Json) => string): Map<string, [number, number][]> {
  const points = new Map<string, [number, number][]>()
  for (const row of rows) {
    const point: [number, number] = [Date.parse(row['_time']) / 1000, Number(row['_value'])]
    points.set(keyOf(row), [...(points.get(keyOf(row)) ?? []), point])
  }
  return points
}

const storedPoints = (stored: readonly Stored[], keyOf: (metric: Stored['metric']) => string) =>
  new Map(stored.map(({ metric, values }) => [keyOf(metric), values.map(([t, value]) => [t, Number(value)])]))

test('the latency histogram has exactly the counts of the system', async () => {
  const stored = await storedSamples('sds_node_transaction_latency_seconds_bucket')
  const bound = (text: string) => (text === '+Inf' ? text : (Number(text) / 1000).toPrecision(6))
  const expected = pointsOf(
    served[0] ?? [],
    ({ host, id, _field }) => `${host} ${id.slice('ttfx_'.length)} ${bound(_field)}`,
  )
  expect(expected.size).toBe(NODES * 20)
  const le = (text = '') => (text === '+Inf' ? text : Number(text).toPrecision(6))
  expect(
    storedPoints(stored, (metric) => `${metric['node']} ${metric['operation']} ${le(metric['le'])}`),
  ).toEqual(expected)
})

test('the traffic of interfaces has the growth of the counters of the system, by the times of their points', async () => {
  const stored = await storedSamples('sds_node_nic_interface_received_bytes_per_second')
  const rows = (served[1] ?? []).filter(({ _field }) => _field === 'bytes_recv')
  const counters = pointsOf(rows, (row) => `${row['host']} ${row['interface']}`)
  expect(counters.size).toBe(NODES * 4)
  const traffic = storedPoints(stored, (metric) => `${metric['node']} ${metric['interface']}`)
  for (const [name, points] of counters) {
    const expected = points.slice(1).flatMap(([t, value], index) => {
      const [before, valueBefore] = points[index] ?? [t, value]
      return value < valueBefore ? [] : [[t, (value - valueBefore) / (t - before)]]
    })
    // The first point also has a rate, with the point before the period.
    expect(traffic.get(name)?.filter(([t = 0]) => t > (points[0]?.[0] ?? 0))).toEqual(expected)
  }
})

test('transaction errors have ratios and counts that agree', async () => {
  const [ratios, failed, succeeded] = await Promise.all(
    [
      'sds_node_transaction_errors_ratio',
      'sds_node_transactions_failed',
      'sds_node_transactions_succeeded',
    ].map(async (family) => storedPoints(await storedSamples(family), (metric) => metric['node'] ?? '')),
  )
  expect(ratios?.size).toBe(NODES)
  for (const [node, points] of ratios ?? []) {
    const counts = new Map((failed?.get(node) ?? []).map(([t = 0, value = 0]) => [t, value]))
    const others = new Map((succeeded?.get(node) ?? []).map(([t = 0, value = 0]) => [t, value]))
    expect(points.length).toBeGreaterThanOrEqual(POINTS - 2)
    for (const [t = 0, ratio = 0] of points) {
      const [own, rest] = [counts.get(t) ?? 0, others.get(t) ?? Number.NaN]
      expect(ratio).toBeCloseTo(own / (own + rest), 12)
    }
  }
})
