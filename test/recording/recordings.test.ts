import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { QUERY_PATH } from '../../src/query_catalogue.ts'
import { parseRecording, type RecordedExchange } from '../../src/recording/format.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import { request } from '../support/http.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { RECORDING_HEADER } from './received.ts'
import { LIMITS, startReplay, systemAt } from './setup.ts'

const FOLDER = 'test/recordings'
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
const HEADERS = { 'x-sds-auth-token': 'emulator-monitor', accept: 'application/json' }
const ONCE = `"${neverSchedule()}"`
const REST = `
poll: {schedule: ${ONCE}, max_random_delay: 0s, timeout: 60s}
forecast: {schedule: ""}
providers: {schedule: ""}
${LIMITS}
`

const queryOf = (url: string, query: string) => {
  const headers = { ...HEADERS, 'content-type': 'application/json' }
  return request('POST', `${url}${QUERY_PATH}`, { headers, body: JSON.stringify({ query }) })
}

const readFile = (name: string) => parseRecording(readFileSync(`${FOLDER}/${name}`, 'utf8'))
const isAnswered = ({ status }: RecordedExchange) => status === 200
const isQuery = ({ request: { path } }: RecordedExchange) => path === QUERY_PATH

test.each(FILES)('%s: each recorded request gets its recorded answer', async (name) => {
  const recording = readFile(name)
  // The points of all queries are moved together, and stay at the time of the last answer.
  const ofQueries = Math.max(...recording.exchanges.filter(isQuery).map(({ at }) => at))
  let at = 0
  await using replay = await startReplay(recording, { clock: () => at * 1000 })
  for (const exchange of recording.exchanges.filter(isAnswered)) {
    const { request: recorded, status, body } = exchange
    at = isQuery(exchange) ? ofQueries : exchange.at
    const { method, path, query = '', body: sent } = recorded
    const answer = await request(method, `${replay.url}${path}${query === '' ? '' : `?${query}`}`, {
      headers: { ...HEADERS, ...(sent !== undefined && { 'content-type': 'application/json' }) },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    })
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({ status, body })
  }
})

/** The resources of which a request was answered, by the operations of the requests. */
test.each(FILES)('%s: the exporter reads what was recorded, and rejects nothing', async (name) => {
  const recording = readFile(name)
  const recorded = new Set(recording.exchanges.filter(isAnswered).map((one) => one.request.operation))
  const all = ['system', 'pools', 'replication', 'namespaces', 'inventory']
  const resources = all.filter((one) => recorded.has(one))
  await using replay = await startReplay(recording)
  await using setup = await startExporter(`systems: [${systemAt(replay.url)}]${REST}`)
  const series = await waitFor(
    async () => {
      const found = await setup.scrape()
      const up = found.filter(({ name: family, value }) => family === 'sds_resource_up' && value === 1)
      const names = up.map(({ labels }) => labels['resource'])
      return resources.every((one) => names.includes(one)) ? found : undefined
    },
    { what: `the resources ${resources.join(', ')}` },
  )
  expect(resources.length).toBeGreaterThan(0)
  const rejected = series.filter(
    ({ name: family, value }) => family === 'sds_api_rejected_values_total' && value > 0,
  )
  expect(rejected).toEqual([])
})

test('what was not recorded is refused with 404 and a body that says so', async () => {
  await using replay = await startReplay(readFile('emulator-modern.jsonl'))
  const path = '/object/namespaces/namespace/x/quota'
  const unknown = await request('GET', `${replay.url}${path}`, { headers: HEADERS })
  expect(unknown.status).toBe(404)
  expect(unknown.text).toContain(`The recording has no answer to GET ${path}`)
  const filter = 'filter(fn: (r) => r._measurement == "x")'
  const queried = await queryOf(
    replay.url,
    `from(bucket: "monitoring_main") |> range(start: -1h) |> ${filter}`,
  )
  expect(queried.status).toBe(404)
  expect(queried.text).toBe('{"error":"the recording has no points of this query"}')
  expect(queried.headers['x-influx-error']).toBe('the recording has no points of this query')
})

test('a query with another window and other fields is evaluated on the recorded points', async () => {
  await using replay = await startReplay(readFile('emulator-modern.jsonl'))
  const filter = 'filter(fn: (r) => r._measurement == "net" and r._field == "bytes_recv")'
  const query = `from(bucket: "monitoring_op") |> range(start: -40m) |> ${filter}`
  const { status, text } = await queryOf(replay.url, query)
  expect(status).toBe(200)
  const [series] = JSON.parse(text).Series
  const cells = (column: string) =>
    series.Values.map((row: readonly string[]) => row[series.Columns.indexOf(column)])
  expect(new Set(cells('_field'))).toEqual(new Set(['bytes_recv']))
  expect(new Set(cells('interface'))).toEqual(new Set(['private.4', 'public', 'public.data', 'public.repl']))
  const times = cells('_time').map((time: string) => Date.now() - Date.parse(time))
  expect(Math.max(...times)).toBeLessThan(41 * 60_000)
  expect(times.length).toBeGreaterThan(4 * 5)
})

const NODES = { _embedded: { _instances: [{ diskSpaceAllocated: [{ t: '', Space: '' }] }] } }

/** The times of the points in an answer, in seconds since the epoch. */
function timesIn(body: unknown): readonly number[] {
  const { Series } = body as { Series: { Columns: string[] | null; Values: string[][] | null }[] }
  return Series.flatMap(({ Columns, Values }) =>
    (Values ?? []).map((row) => Date.parse(row[Columns?.indexOf('_time') ?? -1] ?? '') / 1000),
  )
}

const isRelative = ({ request: { body } }: RecordedExchange) => /range\(start: ?-/.test(JSON.stringify(body))

/** The points that a replay has for queries with relative ranges, when the clock shows `now`. */
async function replayed(exchanges: readonly RecordedExchange[], now: number) {
  const recording = { ...readFile('emulator-modern.jsonl'), exchanges }
  await using replay = await startReplay(recording, { clock: () => now * 1000 })
  const url = `${replay.url}${QUERY_PATH}`
  const headers = { ...HEADERS, 'content-type': 'application/json' }
  const hasPoints = (one: RecordedExchange) => isQuery(one) && isAnswered(one) && timesIn(one.body).length > 0
  const asked = exchanges.filter((one) => hasPoints(one) && isRelative(one))
  expect(asked.length).toBeGreaterThan(5)
  return await Promise.all(
    asked.map(async (exchange) => {
      const body = JSON.stringify(exchange.request.body)
      const { text } = await request('POST', url, { headers, body })
      return { exchange, times: timesIn(JSON.parse(text)) }
    }),
  )
}

test('the points of queries that took minutes to record are moved by the same time, and none is later than now', async () => {
  const { exchanges } = readFile('emulator-modern.jsonl')
  const first = Math.min(...exchanges.filter(isQuery).map(({ at }) => at))
  const spread = exchanges.map((one, index) => (isQuery(one) ? { ...one, at: first + 5 * index } : one))
  const last = Math.max(...spread.filter(isQuery).map(({ at }) => at))
  expect(last - first).toBeLessThan(300)
  const moved = new Set<number>()
  for (const seconds of [0, 1, 299, 300, 7_000, 7_013]) {
    const answers = await replayed(spread, last + seconds)
    const all = answers.flatMap(({ exchange, times }) => {
      const recorded = timesIn(exchange.body)
      return times.map((time, index) => time - (recorded[index] ?? 0))
    })
    expect(new Set(all)).toEqual(new Set([Math.floor(seconds / 300) * 300]))
    moved.add(all[0] ?? 0)
    expect(Math.max(...answers.flatMap(({ times }) => times))).toBeLessThanOrEqual(last + seconds)
  }
  expect(moved).toEqual(new Set([0, 300, 6900]))
})

test('the recorded history is served whole, with its points at multiples of the interval', async () => {
  const recording = readFile('emulator-modern.jsonl')
  const recorded = recording.exchanges.find((one) => one.request.operation === 'history')
  await using replay = await startReplay(recording)
  const query = 'dataType=historical&startTime=0&interval=60'
  const { text } = await request('GET', `${replay.url}${recorded?.request.path}?${query}`, {
    headers: HEADERS,
  })
  const nodesIn = (body: unknown) => (body as typeof NODES)._embedded._instances
  const [node, before] = [nodesIn(JSON.parse(text))[0], nodesIn(recorded?.body)[0]]
  expect(node).toHaveProperty('diskSpaceAllocatedSummary')
  expect(node?.diskSpaceAllocated.length).toBe(before?.diskSpaceAllocated.length)
  for (const { t } of node?.diskSpaceAllocated ?? []) {
    expect(Number(t) % 300).toBe(0)
    expect(Date.now() / 1000 - Number(t)).toBeLessThan(2 * 3600)
  }
})

describe('a recording that is cut or changed is refused with the number of the line', () => {
  const exchange = { request: { operation: 'nodes', method: 'GET', path: '/' }, at: 1 }
  const textOf = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const answered = { ...exchange, status: 200, format: 'empty' }

  test.each<[string, object]>([
    ['an answer', answered],
    ['a failure', { ...exchange, failure: 'reset' }],
  ])('with %s it is read', (_, line) => {
    expect(parseRecording(textOf(RECORDING_HEADER, line)).exchanges).toEqual([line])
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['no header', textOf(answered)],
    ['neither an answer nor a failure', textOf(RECORDING_HEADER, exchange)],
    ['a status without a format', textOf(RECORDING_HEADER, answered, { ...exchange, status: 200 })],
    ['a format without a status', textOf(RECORDING_HEADER, { ...exchange, format: 'empty' })],
    ['half a line', textOf(RECORDING_HEADER, answered).slice(0, -9)],
  ])('with %s', (_, text) => {
    expect(() => parseRecording(text)).toThrow(RangeError)
    expect(() => parseRecording(text)).toThrow(/line \d/)
  })
})
