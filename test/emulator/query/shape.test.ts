import { describe, expect, test } from 'vitest'
import { readText } from '../../repository/repository.ts'
import { ADMIN, call, MONITOR, NOW_SECONDS, SECURITY, startEmulator } from '../client.ts'
import { keep, LATENCY, PATH, query, rowsOf, script, TRANSACTIONS, tableOf } from './client.ts'

/** An answer of a real system of version 4.3, shortened. */
interface Captured {
  readonly name: string
  readonly bucket: string
  readonly measurement: string
  readonly Datatypes: readonly string[]
  readonly Columns: readonly string[]
  readonly Values: readonly (readonly string[])[]
}

/** Typed by hand from published captures, with their values. */
const CAPTURED: readonly Captured[] = JSON.parse(readText('test/fixtures/emulator/captured.json'))

/** The answer for a measurement that does not exist, or without a point in the window. */
const CAPTURED_EMPTY = '{"Series":[{"Datatypes":null,"Columns":null,"Values":null}]}'

/** Forms of cells, the first that matches a captured cell must match the cell of the emulator too. */
const FORMS = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?Z$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /^\d+(\.\d+)?$/,
  /^[\w.+-]+$/,
]

function formOf(cell: string | undefined): RegExp {
  return FORMS.find((form) => form.test(cell ?? '')) ?? /^$/
}

function cellsOf({ Columns, Values }: Pick<Captured, 'Columns' | 'Values'>, name: string): Set<string> {
  const index = Columns.indexOf(name)
  return new Set(Values.map((row) => row[index] ?? ''))
}

describe.each(CAPTURED)('$name', (captured) => {
  const { bucket, measurement, Datatypes, Columns, Values } = captured
  const window = measurement === LATENCY || measurement === TRANSACTIONS ? '-10m' : '-15m'
  const flux = script(bucket, measurement, '|> last()', `start: ${window}`)

  test('has the columns, types and forms of a real answer', async () => {
    const emulator = await startEmulator({ profile: 'modern' })
    const answer = await tableOf(emulator, flux)
    expect(answer.Columns).toEqual(Columns)
    if (measurement !== 'cpu') expect(answer.Datatypes).toEqual(Datatypes)
    const forms = Columns.map((_, index) => formOf(Values[0]?.[index]))
    for (const row of answer.Values) {
      expect(row).toHaveLength(Columns.length)
      for (const [index, cell] of row.entries()) expect(cell).toMatch(forms[index] ?? /^$/)
    }
  })

  test('has the fields and tags of a real answer', async () => {
    const answer = await tableOf(await startEmulator({ profile: 'modern' }), flux)
    for (const name of ['_field', '_measurement', 'cpu', 'id', 'interface', 'process', 'tag']) {
      if (!Columns.includes(name)) continue
      for (const cell of cellsOf(captured, name)) expect(cellsOf(answer, name)).toContain(cell)
    }
  })

  test('tables are numbered and sorted by the text of field, measurement and tags', async () => {
    const answer = await tableOf(await startEmulator({ profile: 'modern' }), flux)
    for (const { Values: rows } of [captured, answer]) {
      expect(rows.map(([table]) => table)).toEqual(rows.map((_, index) => String(index)))
      const keys = rows.map((row) => row.slice(5).join('\u0000'))
      expect(keys).toEqual([...keys].sort())
    }
  })
})

test('an answer without rows', async () => {
  const emulator = await startEmulator({ profile: 'modern' })
  for (const flux of [
    script('monitoring_op', 'diskio'),
    script('monitoring_last', 'dtquery_cmf'),
    script('monitoring_op', 'cpu', '', 'start: -10d, stop: -9d'),
  ]) {
    expect((await query(emulator, flux)).text).toBe(CAPTURED_EMPTY)
  }
})

test('a window has several rows with the number of one table, in order of time', async () => {
  const rows = await rowsOf(await startEmulator({ profile: 'modern' }), script('monitoring_op', 'mem'))
  for (const table of new Set(rows.map((row) => row['table']))) {
    const times = rows.filter((row) => row['table'] === table).map((row) => row['_time'])
    expect(times).toHaveLength(4)
    expect(times).toEqual([...times].sort())
  }
})

test('the window ends now, with nanoseconds, and all points are in it', async () => {
  const rows = await rowsOf(await startEmulator({ profile: 'modern' }), script('monitoring_main', LATENCY))
  const [{ _start = '', _stop = '' } = {}] = rows
  expect(Math.floor(Date.parse(_stop) / 1000)).toBe(NOW_SECONDS)
  expect(Math.floor(Date.parse(_start) / 1000)).toBe(NOW_SECONDS - 1_200)
  for (const { _time = '' } of rows) expect(_time >= _start && _time < _stop).toBe(true)
})

test('points of monitoring_main have a phase for each node, those of monitoring_op an own delay', async () => {
  const emulator = await startEmulator({ profile: 'modern', nodes: 20 })
  const phases = async (bucket: string, measurement: string) => {
    const rows = await rowsOf(emulator, script(bucket, measurement, '', 'start: -1h'))
    const byNode = [...Map.groupBy(rows, (row) => row['node_id']).values()]
    const phaseOf = (row: Record<string, string>) => (Date.parse(row['_time'] ?? '') / 1000) % 300
    return byNode.map((own) => new Set(own.map(phaseOf)))
  }
  const main = await phases('monitoring_main', TRANSACTIONS)
  expect(main.every((own) => own.size === 1)).toBe(true)
  expect(new Set(main.flatMap((own) => [...own])).size).toBeGreaterThan(20)
  const delays = (await phases('monitoring_op', 'cpu')).flatMap((own) => [...own])
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...delays)).toBeLessThanOrEqual(10)
  expect(new Set(delays).size).toBeGreaterThan(5)
})

test('columns that one of several measurements does not have are lost', async () => {
  const flux =
    'from(bucket: "monitoring_op") |> range(start: -15m) ' +
    '|> filter(fn: (r) => r._measurement == "cpu" or r._measurement == "net") |> last()'
  const { Columns } = await tableOf(await startEmulator({ profile: 'modern' }), flux)
  expect(Columns.slice(5)).toEqual(['_field', '_measurement', 'host', 'node_id', 'tag'])
})

test('keep merges what it makes equal, and keeps no column that was not asked for', async () => {
  const emulator = await startEmulator({ profile: 'modern', pools: 1 })
  const { Columns, Values } = await tableOf(emulator, script('monitoring_main', LATENCY, keep()))
  expect(Columns.slice(5)).toEqual(['_field', '_measurement', 'host', 'node_id'])
  // Reads and writes are in one table.
  expect(Values.filter(([table]) => table === '0')).toHaveLength(8)
  const pair = await tableOf(
    emulator,
    script('monitoring_main', LATENCY, '|> last() |> keep(columns: ["_time", "_value"])'),
  )
  expect(pair.Columns).toEqual(['table', '_time', '_value'])
})

const LAG = script(
  'monitoring_last',
  'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO',
  '|> filter(fn: (r) => r._field == "RPO_Lag_Millis") |> last()',
)

test('groups of several sites have a lag, which grows while a site is down', async () => {
  const healthy = await rowsOf(await startEmulator({ profile: 'modern', sites: 2 }), LAG)
  const millis = healthy.map((row) => Number(row['_value'])).sort((a, b) => b - a)
  expect(millis).toHaveLength(3)
  expect([(millis[0] ?? 0) > 0 && (millis[0] ?? 0) < 600_000, millis[1], millis[2]]).toEqual([true, 0, 0])
  for (const row of healthy)
    expect(row['Replication_Group']).toMatch(/^urn:storageos:ReplicationGroupInfo:.*:global$/)
  const down = await rowsOf(await startEmulator({ profile: 'modern', scenario: 'site-down' }), LAG)
  expect(Math.max(...down.map((row) => Number(row['_value'])))).toBeGreaterThan(10 * 3_600_000)
})

describe('authentication', () => {
  test.each([
    [MONITOR, 200],
    [ADMIN, 200],
    [SECURITY, 500],
    ['old', 401],
    ['', 401],
  ])('token "%s": %i', async (token, status) => {
    const emulator = await startEmulator({ profile: 'modern' })
    const response = await query(emulator, script('monitoring_op', 'cpu'), { token })
    expect(response.status).toBe(status)
    if (status === 500) {
      expect(response.text).toBe('{"code":6401,"description":"Insufficient permissions","retryable":false}')
    }
  })

  test('other methods are refused', async () => {
    const response = await call(await startEmulator({ profile: 'modern' }), PATH)
    expect([response.status, response.headers['allow']]).toEqual([405, 'POST'])
  })
})
