import { describe, expect, test } from 'vitest'
import { type Json, NOW_SECONDS, nodesOf, startEmulator } from '../client.ts'
import { answerTo, LATENCY, query, rowsOf, script, TRANSACTIONS } from '../query/client.ts'

const CPU = script('monitoring_op', 'cpu', '|> last()', 'start: -15m')
const WINDOW = script('monitoring_main', TRANSACTIONS)
const COMBINED =
  'from(bucket: "monitoring_main") |> range(start: -20m) |> filter(fn: (r) => r.process == "statDataHead") |> last()'

const start = (...faults: string[]) => startEmulator({ profile: 'modern', pools: 1, faults })
const respond = async (fault: string, flux = CPU) => query(await start(fault), flux)

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
    expect(await nodesOf(await start('query-error', 'no-rows', 'bad-cells'))).toHaveLength(5)
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

  test.each([
    ['bad-cells', null],
    ['bad-cells:nan', 'NaN'],
    ['bad-cells:empty', ''],
  ])('%s', async (fault, cell) => {
    const { Columns, Values } = await answerTo(await start(fault), CPU)
    const cells: Json[] = Values.map((row) => row[Columns.indexOf('_value')])
    expect(cells[0]).toBe(cell)
    expect(Number(cells[1])).toBeGreaterThanOrEqual(0)
  })

  test('reordered-columns: the rows by column are the same', async () => {
    const [changed, healthy] = [await start('reordered-columns'), await start()]
    expect((await answerTo(changed, CPU)).Columns[0]).toBe('tag')
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

  test('restarted-counters: the last point of each window is lower', async () => {
    const rows = await rowsOf(await start('restarted-counters'), WINDOW)
    const byTable = Map.groupBy(rows, (row) => row['table'])
    for (const points of byTable.values()) {
      const [before, last] = points.slice(-2).map((row) => Number(row['_value']))
      expect(last).toBeLessThan(before ?? 0)
    }
  })

  test('truncate', async () => {
    await expect(respond('truncate')).rejects.toThrow()
  })
})
