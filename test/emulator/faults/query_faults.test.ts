import { describe, expect, test } from 'vitest'
import { type Json, NOW_SECONDS, nodesOf, startEmulator } from '../client.ts'
import { LATENCY, query, rowsOf, script, TRANSACTIONS, tableOf } from '../query/client.ts'

const CPU = script('monitoring_op', 'cpu', '|> last()', 'start: -15m')
const WINDOW = script('monitoring_main', TRANSACTIONS)
const NETWORK = script('monitoring_op', 'net')
const COMBINED =
  'from(bucket: "monitoring_main") |> range(start: -20m) |> filter(fn: (r) => r.process == "statDataHead") |> last()'

const start = (...faults: string[]) => startEmulator({ profile: 'modern', pools: 1, faults })
const respond = async (fault: string, flux = CPU) => query(await start(fault), flux)

/** The values of all rows of an interface. */
async function valuesByInterface(fault: string) {
  const rows = await rowsOf(await start(fault), NETWORK)
  return (name: string) => rows.filter((row) => row['interface'] === name).map((row) => row['_value'])
}

describe('errors', () => {
  test.each([
    ['query-error', 500, { error: expect.stringMatching(/^failed to compile query: /) }],
    ['query-error:role', 500, { code: 6401, description: 'Insufficient permissions', retryable: false }],
    ['query-error:internal', 500, { error: expect.stringMatching(/^internal error/) }],
    ['query-error:timeout', 500, { error: 'query timed out' }],
    ['measurement-error', 500, { error: expect.stringMatching(/^internal error/) }],
    ['query-error:media', 406, { error: 'unsupported response media type: application/json' }],
    [
      'refused-operation:last',
      500,
      {
        error: "operation 'last' is not allowed. Allowed operations: influxDBFrom, filter, range, drop, keep",
      },
    ],
    ['status:503,code=6503', 503, { code: 6503 }],
    ['expire-tokens', 401, { code: 4000 }],
  ])('%s', async (fault, status, body) => {
    const response = await respond(fault)
    expect(response.status).toBe(status)
    expect(response.json()).toMatchObject(body)
  })

  test('refused-operation has no effect on queries without the operation', async () => {
    expect((await respond('refused-operation:keep')).status).toBe(200)
  })

  test('absolute-refused has no effect on queries with relative times', async () => {
    const emulator = await start('absolute-refused')
    expect((await query(emulator, CPU)).status).toBe(200)
    const absolute = script('monitoring_op', 'cpu', '', 'start: 2026-03-01T00:00:00Z')
    expect((await query(emulator, absolute)).json()).toEqual({
      error: expect.stringMatching(/^failed to compile query: .*2026-03-01T00:00:00Z/),
    })
  })

  test('combined-refused: queries that return several measurements', async () => {
    const emulator = await start('combined-refused')
    expect((await query(emulator, COMBINED)).json()).toEqual({ error: expect.any(String) })
    expect((await query(emulator, CPU)).status).toBe(200)
  })

  test('measurement-error: queries of other measurements', async () => {
    expect((await respond('measurement-error:mem')).status).toBe(200)
  })

  test('they have no effect on the feed', async () => {
    expect(await nodesOf(await start('query-error', 'no-rows'))).toHaveLength(5)
  })
})

describe('answers', () => {
  test('no-rows', async () => {
    const { text } = await respond('no-rows')
    expect(text).toBe('{"Series":[{"Datatypes":null,"Columns":null,"Values":null}]}')
  })

  test('combined-empty: queries that return several measurements', async () => {
    const emulator = await start('combined-empty')
    expect((await query(emulator, COMBINED)).text).toBe((await respond('no-rows')).text)
    expect(await rowsOf(emulator, CPU)).not.toEqual([])
  })

  test('partial-series', async () => {
    const [some, all] = [await rowsOf(await start('partial-series'), CPU), await rowsOf(await start(), CPU)]
    expect(some).toEqual(all.filter((_, index) => index % 3 !== 0))
  })

  test('partial-nodes', async () => {
    const rows = await rowsOf(await start('partial-nodes'), CPU)
    expect(new Set(rows.map((row) => row['node_id'])).size).toBe(3)
  })

  test('stale-points: the newest point is old, and the window still ends now', async () => {
    const rows = await rowsOf(await start('stale-points:900'), WINDOW)
    expect(rows.length).toBeGreaterThan(0)
    for (const { _time = '', _stop = '' } of rows) {
      expect(NOW_SECONDS - Date.parse(_time) / 1000).toBeGreaterThanOrEqual(900)
      expect(Math.floor(Date.parse(_stop) / 1000)).toBe(NOW_SECONDS)
    }
  })

  test('reordered-columns: the rows by column are the same', async () => {
    const [changed, healthy] = [await start('reordered-columns'), await start()]
    expect((await tableOf(changed, CPU)).Columns[0]).toBe('tag')
    expect(await rowsOf(changed, CPU)).toEqual(await rowsOf(healthy, CPU))
  })

  test('two-series: each has its own columns', async () => {
    const { Series } = (await respond('two-series')).json()
    expect(Series.map(({ Columns }: Json) => Columns[0])).toEqual(['table', 'tag'])
    const whole = (await query(await start(), CPU)).json().Series[0].Values
    expect([...Series[0].Values, ...Series[1].Values.map((row: Json[]) => row.toReversed())]).toEqual(whole)
  })

  test('duplicate-rows: the first of two is right', async () => {
    const [doubled, single] = [
      await rowsOf(await start('duplicate-rows'), CPU),
      await rowsOf(await start(), CPU),
    ]
    expect(doubled.filter((_, index) => index % 2 === 0)).toEqual(single)
    expect(doubled[1]).toEqual({ ...single[0], _value: expect.any(String) })
    expect(doubled[1]?.['_value']).not.toBe(single[0]?.['_value'])
  })

  test.each([
    ['missing-bound', '+Inf'],
    ['missing-bound:1.0', '1.0'],
  ])('%s: of one node', async (fault, bound) => {
    const rows = await rowsOf(await start(fault), script('monitoring_main', LATENCY, '|> last()'))
    const nodes = (field: string) =>
      new Set(rows.filter((row) => row['_field'] === field).map((row) => row['node_id'])).size
    expect([nodes(bound), nodes('0.0')]).toEqual([4, 5])
  })

  test('first-point-only', async () => {
    const rows = await rowsOf(await start('first-point-only'), WINDOW)
    expect(new Set(rows.map((row) => row['table'])).size).toBe(rows.length)
    const [first] = await rowsOf(await start(), WINDOW)
    expect(rows[0]).toEqual(first)
  })

  test('late-series: no point of the interface in the last 10 minutes', async () => {
    const rows = await rowsOf(await start('late-series:public'), NETWORK)
    const age = (name: string) => {
      const times = rows.filter((row) => row['interface'] === name).map(({ _time = '' }) => Date.parse(_time))
      return NOW_SECONDS - Math.max(...times) / 1000
    }
    expect(age('public')).toBeGreaterThan(600)
    expect(age('public.data')).toBeLessThan(600)
  })

  test.each([
    ['bond-slaves', ['slave-0', 'slave-1'], 'public'],
    ['bond-slaves:pslave', ['pslave-0', 'pslave-1'], 'public'],
  ])('%s have the values of the bond', async (fault, slaves, bond) => {
    const valuesOf = await valuesByInterface(fault)
    expect(valuesOf(bond)).not.toEqual([])
    for (const slave of slaves) expect(valuesOf(slave)).toEqual(valuesOf(bond))
  })

  test('no-link: no traffic', async () => {
    expect(new Set((await valuesByInterface('no-link'))('eth9'))).toEqual(new Set(['0', '-1']))
  })

  test('interface-speed: of all interfaces', async () => {
    const rows = await rowsOf(await start('interface-speed:0'), NETWORK)
    const speeds = rows.filter((row) => row['_field'] === 'speed').map((row) => row['_value'])
    expect(new Set(speeds)).toEqual(new Set(['0']))
  })

  test('truncate', async () => {
    await expect(respond('truncate')).rejects.toThrow()
  })
})
