import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { FieldSeries, QueryAnswer } from '../../../src/api/query/answers/answer.ts'
import { createPastReader, KEPT_SECONDS } from '../../../src/api/query/past_reader.ts'
import { type Query, queryText } from '../../../src/api/query/requests/queries.ts'
import { MEASUREMENTS } from '../../../src/query_catalogue.ts'
import { never } from '../http/responses.ts'
import { NO_FILTER, pastValues } from './query_files.ts'

const NOW = 1_772_323_200
const HOUR = 3600
const EMPTY: QueryAnswer = { series: new Map(), stop: undefined, outside: 0, rejected: [] }
const MAIN = ['query_traffic_disk', 'query_latency_read', 'query_latency_write', 'query_error_codes']
const COUNTERS = ['query_network', ...MAIN]
const GAUGES = ['query_cpu', 'query_memory']
const ALL = [...GAUGES, ...COUNTERS]
/** Of counters, the points before the window are asked for first. */
const WITH_LEAD = [...GAUGES, ...COUNTERS.flatMap((name) => [name, name])]

/** Throughput that grows by 10 bytes a second, with a point every five minutes. */
function throughput({ range = { start: 0, stop: 0 } }: Query): QueryAnswer {
  const points = []
  for (let t = Math.ceil(range.start / 300) * 300; t < range.stop; t += 300) points.push({ t, value: t * 10 })
  const one: FieldSeries = {
    measurement: MEASUREMENTS.throughput.name,
    field: 'total_read_requests_size',
    tags: new Map([['node_id', 'n1']]),
    points,
  }
  return { ...EMPTY, series: new Map([['one', one]]), stop: range.stop }
}

function readerOf(answer: (query: Query) => QueryAnswer = () => EMPTY) {
  const asked: Query[] = []
  let running = 0
  const reader = createPastReader({
    interfaces: NO_FILTER,
    nowSeconds: NOW,
    async query(query) {
      asked.push(query)
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return answer(query)
    },
  })
  return {
    reader,
    names: () => asked.splice(0).map(({ name }) => name),
    ranges: () => [
      ...new Set(asked.map(({ range }) => `${(range?.start ?? 0) - NOW} ${(range?.stop ?? 0) - NOW}`)),
    ],
    read: (start: number, stop: number) => reader.read({ start: NOW + start, stop: NOW + stop }, never()),
  }
}

describe('a reader of the past', () => {
  test('asks one query after the other, and for the counters before the first window', async () => {
    const { read, names, ranges } = readerOf()
    await read(-2 * HOUR, -HOUR)
    expect(new Set(ranges())).toEqual(new Set([`${-2 * HOUR - 1320} ${-2 * HOUR}`, `${-2 * HOUR} ${-HOUR}`]))
    expect(names()).toEqual(WITH_LEAD)
    await read(-HOUR, 0)
    expect(names()).toEqual(ALL)
    await read(-HOUR, 0)
    expect(names()).toEqual(WITH_LEAD)
  })

  test('asks for all points of an absolute range, with functions that are allowed', async () => {
    let text = ''
    const { read } = readerOf((query) => {
      if (query.name === 'query_cpu') text = queryText(query, { lastOnly: false, windowSeconds: 1320 })
      return EMPTY
    })
    await read(-HOUR, 0)
    expect(text).toContain('range(start: 2026-02-28T23:00:00Z, stop: 2026-03-01T00:00:00Z)')
    expect([...text.matchAll(/\b(\w+)\(/g)].map(([, name]) => name)).toEqual(['from', 'range', 'filter'])
  })

  test('asks only for what is kept', async () => {
    const { read, names } = readerOf()
    const old = {
      start: NOW - (KEPT_SECONDS['monitoring_op'] ?? 0) - HOUR,
      stop: NOW - (KEPT_SECONDS['monitoring_op'] ?? 0),
    }
    await read(old.start - NOW, old.stop - NOW)
    expect(names()).toEqual(MAIN.flatMap((name) => [name, name]))
    await read(old.stop - NOW, old.stop + HOUR - NOW)
    // The points of the network before the window were not asked for.
    expect(names()).toEqual([...GAUGES, 'query_network', ...COUNTERS])
  })

  test('carries the last points into the next window', async () => {
    const { read } = readerOf((query) => (query.name === 'query_traffic_disk' ? throughput(query) : EMPTY))
    const times: number[] = []
    for (const start of [-3 * HOUR, -2 * HOUR, -HOUR]) {
      const { nodes } = await read(start, start + HOUR)
      const found = pastValues(nodes[0], 'transactionReadBandwidth')
      expect(new Set(found.map(({ value }) => value))).toEqual(new Set([10]))
      times.push(...found.map(({ t }) => t))
    }
    expect(times.map((t) => t - NOW)).toEqual(Array.from({ length: 36 }, (_, k) => -3 * HOUR + k * 300))
  })

  test('goes on without a query that is refused at first, and says which', async () => {
    const refused = new ApiError('client_error', 'the operation is not allowed')
    const { reader, read, names } = readerOf(({ name }) => {
      if (name === 'query_error_codes') throw refused
      return EMPTY
    })
    expect((await read(-HOUR, 0)).failed.size).toBe(0)
    expect([...reader.refused()]).toEqual([['query_error_codes', refused]])
    names()
    await read(-2 * HOUR, -HOUR)
    expect(names()).not.toContain('query_error_codes')
  })

  test.each([
    ['a refusal', new ApiError('client_error', 'failed to compile query')],
    ['a failure that may pass', new ApiError('server_error', 'internal error')],
  ])('leaves out what %s concerns, for this window only', async (_, failure) => {
    let isFailing = false
    const { reader, read, names } = readerOf((query) => {
      if (isFailing && query.name === 'query_latency_write') throw failure
      return query.name === 'query_traffic_disk' ? throughput(query) : EMPTY
    })
    await read(-3 * HOUR, -2 * HOUR)
    isFailing = true
    const { nodes, failed } = await read(-2 * HOUR, -HOUR)
    expect([...failed]).toEqual([['latency', failure]])
    expect(pastValues(nodes[0], 'transactionReadBandwidth')).toHaveLength(12)
    isFailing = false
    names()
    expect((await read(-HOUR, 0)).failed.size).toBe(0)
    // The points before the window are missing for the query that failed.
    expect(names()).toEqual([...ALL.slice(0, 5), 'query_latency_write', 'query_latency_write', ALL[6]])
    expect(reader.refused().size).toBe(0)
  })

  test('shortens the ranges of a query whose answer is too large, and remembers it', async () => {
    const { read, names } = readerOf(({ name, range = { start: 0, stop: 0 } }) => {
      if (name === 'query_cpu' && range.stop - range.start > 1800) throw new ApiError('too_large', 'large')
      return EMPTY
    })
    expect((await read(-2 * HOUR, -HOUR)).failed.size).toBe(0)
    names()
    await read(-HOUR, 0)
    expect(names().filter((name) => name === 'query_cpu')).toHaveLength(2)
  })

  test('fails when the first two queries fail', async () => {
    const failure = new ApiError('timeout', 'slow')
    const { read, names } = readerOf(() => {
      throw failure
    })
    await expect(read(-HOUR, 0)).rejects.toBe(failure)
    expect(names()).toEqual(['query_cpu', 'query_memory'])
  })

  test.each([
    ['points outside of the range', (query: Query) => ({ ...throughput(query), outside: 1 }), 'wrong ranges'],
    ['another range', (query: Query) => ({ ...throughput(query), stop: NOW + 5000 }), 'another range'],
  ])('refuses an answer with %s', async (_, answer, message) => {
    const { read } = readerOf(answer)
    await expect(read(-HOUR, 0)).rejects.toMatchObject({
      reason: 'schema',
      detail: expect.stringContaining(message),
    })
  })
})
