import { describe, expect, test } from 'vitest'
import { QUERIES, type Query, queryText } from '../../../../src/api/query/requests/queries.ts'

const ALL = { lastOnly: false, windowSeconds: 1320 }
const allQueries = (queries: readonly Query[]): readonly Query[] =>
  queries.flatMap((query) => [query, ...allQueries(query.parts)])
const textOf = (name: string, dialect = ALL) => {
  const query = allQueries(QUERIES).find((one) => one.name === name)
  return query && queryText(query, dialect)
}

describe('the text of a query', () => {
  test('of gauges asks for the newest point', () => {
    expect(textOf('query_cpu')).toBe(
      'from(bucket: "monitoring_op") |> range(start: -22m) |> filter(fn: (r) => r._measurement == "cpu" and r.cpu == "cpu-total" and (r._field == "usage_user" or r._field == "usage_nice" or r._field == "usage_system")) |> last()',
    )
  })

  test('of counters asks for a range, with all columns: any may tell series apart', () => {
    expect(textOf('query_network')).toBe(
      'from(bucket: "monitoring_op") |> range(start: -22m) |> filter(fn: (r) => r._measurement == "net" and (r._field == "bytes_recv" or r._field == "bytes_sent" or r._field == "speed" or r._field == "utilization"))',
    )
    expect(textOf('query_latency_read')).toBe(
      'from(bucket: "monitoring_main") |> range(start: -22m) |> filter(fn: (r) => r._measurement == "statDataHead_performance_internal_latency" and r.id == "ttfb_read")',
    )
  })

  test('of traffic and disk I/O combines measurements with the same tags', () => {
    expect(textOf('query_traffic_disk')).toMatch(
      /filter\(fn: \(r\) => r\._measurement == "\w+_transactions" or r\._measurement == "\w+_throughput" or r\._measurement == "\w+_error" or r\._field == "read_ECTotal" or /,
    )
  })

  test('of a system with wrong ranges asks for the newest point', () => {
    expect(textOf('query_latency_read', { ...ALL, lastOnly: true })).toMatch(/\) \|> last\(\)$/)
  })

  test.each(allQueries(QUERIES).map((query) => query.name))('%s calls only allowed functions', (name) => {
    const functions = [...(textOf(name) ?? '').matchAll(/(\w+)\(/g)].map(([, called]) => called)
    expect(['from', 'range', 'filter', 'fn', 'last']).toEqual(expect.arrayContaining([...new Set(functions)]))
  })
})

test('the parts of a query select the same fields', () => {
  for (const { name, selections, parts } of allQueries(QUERIES)) {
    if (parts.length === 0) continue
    const fieldsOf = (list: Query['selections']) =>
      list
        .flatMap(({ measurement, fields = ['all'] }) => fields.map((field) => `${measurement} ${field}`))
        .toSorted()
    expect([name, fieldsOf(parts.flatMap((part) => part.selections))]).toEqual([name, fieldsOf(selections)])
  }
})

test('queries have different names', () => {
  const names = allQueries(QUERIES).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
