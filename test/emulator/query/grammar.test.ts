import { describe, expect, test } from 'vitest'
import { startEmulator } from '../client.ts'
import { query, rowsOf } from './client.ts'

const FROM = 'from(bucket: "monitoring_op")'
const RANGE = 'range(start: -15m)'
const CPU = 'filter(fn: (r) => r._measurement == "cpu" and r._field == "usage_idle")'
const ROWS = 5
const TIMES = ['2026-03-11T12:20:00Z', '2026-03-11T13:30:00.5+01:00']
const where = (condition: string) => `${FROM} |> ${RANGE} |> filter(fn: ${condition}) |> last()`

/** One node has one row in the last five minutes and a half. */
const ACCEPTED: [string, string][] = [
  ['the example of the documentation', `${FROM} |> ${RANGE} |> ${CPU} |> last()`],
  ['filter before range', `${FROM} |> ${CPU} |> ${RANGE} |> last()`],
  ['a column of last', `${FROM} |> ${RANGE} |> ${CPU} |> last(column: "_value")`],
  ['line breaks and comments', `${FROM}\n  |> ${RANGE} // now\r\n\t|>${CPU}|>last( )`],
  ['parentheses', where('(row) => (row._measurement == "cpu") and ((row._field == "usage_idle"))')],
  ['and before or', where('(r) => r.host == "x" or r._measurement == "cpu" and r._field == "usage_idle"')],
  ['brackets', where('(r) => r["_field"] == "usage_idle"')],
  ['an inequality', where('(r) => r._field == "usage_idle" and r.cpu != "cpu0"')],
  ['a stop', `${FROM} |> range(start: -1h, stop: -10m) |> ${CPU} |> last()`],
  ['absolute times', `${FROM} |> range(start: ${TIMES[0]}, stop: ${TIMES[1]}) |> ${CPU} |> last()`],
  ['drop', `${FROM} |> ${RANGE} |> ${CPU} |> last() |> drop(columns: ["cpu", "tag", "nothing"])`],
]

describe('accepted', () => {
  test.each(ACCEPTED)('%s', async (_name, flux) => {
    expect(await rowsOf(await startEmulator({ profile: 'modern', pools: 1 }), flux)).toHaveLength(ROWS)
  })

  test('a script as the whole body', async () => {
    const emulator = await startEmulator({ profile: 'modern' })
    const response = await query(emulator, '', {
      headers: { 'content-type': 'application/vnd.flux' },
      body: `${FROM} |> ${RANGE} |> ${CPU} |> last()`,
    })
    expect(response.json().Series[0].Values).toHaveLength(2 * ROWS)
  })
})

const COMPILE = /^failed to compile query: loc \d+:\d+: /

describe('refused', () => {
  test.each([
    ['no script', '', COMPILE],
    ['an unfinished string', 'from(bucket: "monitoring_op) |> range(start: -1h)', COMPILE],
    ['an unknown function', `${FROM} |> ${RANGE} |> sparkle()`, /undefined identifier sparkle$/],
    ['an inherited name as an argument', `${FROM} |> range(constructor: -1h)`, /unexpected argument/],
    ['no start', `${FROM} |> range()`, /missing required argument start$/],
    ['an import', `import "math" ${FROM}`, COMPILE],
    ['another parameter', where('(r) => x._field == "a"'), /undefined identifier x$/],
    ['a regular expression', where('(r) => r._field =~ /usage/'), COMPILE],
    ['no closing parenthesis', where('(r) => (r._field == "a"'), COMPILE],
    ['a character that begins nothing', `${FROM}\n  ?`, /: loc 2:3: unexpected character "\?"$/],
    ['deep nesting', where(`(r) => ${'('.repeat(500)}r.a == "b"`), /too many nested parentheses$/],
    ['an unknown bucket', `from(bucket: "telegraf") |> ${RANGE}`, /could not find bucket "telegraf"$/],
    ['no range', `${FROM} |> ${CPU}`, /cannot submit unbounded read to "monitoring_op"/],
    ['an empty range', `${FROM} |> range(start: -1h, stop: -2h)`, /cannot query an empty range$/],
  ])('%s', async (_name, flux, text) => {
    const response = await query(await startEmulator({ profile: 'modern' }), flux)
    expect([response.status, response.headers['content-type']]).toEqual([500, 'application/json'])
    expect(Object.keys(response.json())).toEqual(['error'])
    expect(response.json().error).toMatch(text)
  })

  test.each([
    ['mean', `${FROM} |> ${RANGE} |> mean()`],
    ['aggregateWindow', `${FROM} |> ${RANGE} |> aggregateWindow(every: 5m, fn: mean) |> last()`],
    ['buckets', 'buckets()'],
    ['stddev', `${FROM} |> ${RANGE} |> stddev()`],
  ])('a function that is not allowed: %s', async (name, flux) => {
    const response = await query(await startEmulator({ profile: 'modern' }), flux)
    expect(response.status).toBe(500)
    expect(response.json()).toEqual({
      error: `operation '${name}' is not allowed. Allowed operations: influxDBFrom, filter, range, last, drop, keep`,
    })
  })

  test('columns that tell series of different types apart cannot be dropped', async () => {
    const flux = `${FROM} |> ${RANGE} |> filter(fn: (r) => r._measurement == "mem") |> drop(columns: ["_field"])`
    const response = await query(await startEmulator({ profile: 'modern' }), flux)
    expect(response.status).toBe(500)
    expect(response.json().error).toMatch(
      /^requested operation merges tables with different schemas for group key \{_measurement=mem,host=/,
    )
  })
})

describe('requests', () => {
  test.each([
    ['no query', { body: '{}' }, 400],
    ['no JSON', { body: 'from(bucket:' }, 400],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 400],
    ['text/csv', { headers: { accept: 'text/csv' } }, 406],
  ])('%s', async (_name, options, status) => {
    const response = await query(await startEmulator({ profile: 'modern' }), '', options)
    expect(response.status).toBe(status)
    if (status === 406) expect(response.text).toBe('{"error":"unsupported response media type: text/csv"}')
    else expect(Object.keys(response.json())).toEqual(['error'])
  })

  test('a body that is too long', async () => {
    const response = await query(await startEmulator({ profile: 'modern' }), ' '.repeat(1_100_000))
    expect([response.status, response.json().code]).toEqual([400, 1014])
  })
})
