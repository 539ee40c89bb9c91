import { expect, test } from 'vitest'
import { call, feedPath, type Json, NOW, NOW_SECONDS, seriesIn, startEmulator } from '../client.ts'
import { rowsOf, script, seriesBy } from './client.ts'

const MEGABYTE = 1_000_000
const HOUR = 'start: -1h'
const MEASUREMENT = 'cq_performance'
type Emulator = Awaited<ReturnType<typeof startEmulator>>

/** The values of a series by the end of their window. */
async function valuesOf(emulator: Emulator, measurement: string, ...columns: readonly string[]) {
  const flux = script('monitoring_vdc', measurement, '', HOUR)
  const series = await seriesBy(emulator, flux, (row) =>
    [...columns, '_field'].map((name) => row[name]).join(' '),
  )
  return new Map(
    [...series].map(([name, points]) => [
      name,
      new Map(points.map(({ time, value }) => [time + 300, value])),
    ]),
  )
}

/** Sums over all nodes by time, of the history at 300 s. */
async function sumsOf(emulator: Emulator) {
  const query = `dataType=historical&startTime=${NOW_SECONDS - 4_000}&interval=300`
  const pools = await Promise.all(
    emulator.pools.map(async (_, pool) => (await call(emulator, feedPath(emulator, query, pool))).json()),
  )
  const nodes: Json[] = pools.flatMap(({ _embedded }) => _embedded._instances)
  return (attribute: string, t: number): number =>
    nodes
      .map((node) => seriesIn(node, attribute).find((point) => point.t === t)?.value ?? Number.NaN)
      .reduce((sum, value) => sum + value, 0)
}

test('rates are those of the dashboard API', async () => {
  const emulator = await startEmulator({ profile: 'classic', scenario: 'error-burst', namespaces: 20 })
  const sum = await sumsOf(emulator)
  const rates = await valuesOf(emulator, `${MEASUREMENT}_transaction`)
  const methods = await valuesOf(emulator, `${MEASUREMENT}_transaction_method`, 'method')
  const errors = await valuesOf(emulator, `${MEASUREMENT}_error`)
  const heads = await valuesOf(emulator, `${MEASUREMENT}_error_head`, 'head')
  const throughput = await valuesOf(emulator, `${MEASUREMENT}_throughput`)
  const times = [...(rates.get('succeed_request_counter') ?? new Map()).keys()]
  expect(times.length).toBeGreaterThan(9)
  for (const t of times) {
    const tps = ['Read', 'Write'].map((direction) => sum(`transaction${direction}TransactionsPerSec`, t))
    const [reads = 0, writes = 0] = tps
    const of = (series: Awaited<ReturnType<typeof valuesOf>>, name: string) =>
      series.get(name)?.get(t) ?? Number.NaN
    const both = (series: Awaited<ReturnType<typeof valuesOf>>, method = '') =>
      of(series, `${method}succeed_request_counter`) + of(series, `${method}failed_request_counter`)
    expect(both(rates)).toBeCloseTo(reads + writes, 6)
    expect(both(methods, 'READ ')).toBeCloseTo(reads, 6)
    expect(both(methods, 'WRITE ')).toBeCloseTo(writes, 6)
    const failed = of(errors, 'user_errors') + of(errors, 'system_errors')
    expect(of(rates, 'failed_request_counter')).toBeCloseTo(failed, 6)
    const ofHeads = ['S3 user_errors', 'ATMOS user_errors'].map((name) => of(heads, name))
    expect((ofHeads[0] ?? 0) + (ofHeads[1] ?? 0)).toBeCloseTo(of(errors, 'user_errors'), 6)
    expect(of(throughput, 'total_read_requests_size')).toBeCloseTo(
      MEGABYTE * sum('transactionReadBandwidth', t),
      0,
    )
  }
})

test('namespaces have their parts of the rates, at most 25 of them', async () => {
  const emulator = await startEmulator({ profile: 'modern', scenario: 'error-burst', namespaces: 26 })
  for (const name of ['transaction', 'error']) {
    const all = await valuesOf(emulator, `${MEASUREMENT}_${name}`)
    const parts = await valuesOf(emulator, `${MEASUREMENT}_${name}_ns`, 'namespace')
    expect([all.size, parts.size]).toEqual([2, 50])
    for (const [field, values] of all) {
      const [[end = 0, rate = 0] = []] = values
      const ofField = [...parts].filter(([key]) => key.endsWith(field))
      const ratio = ofField.reduce((sum, [, part]) => sum + (part.get(end) ?? 0), 0) / rate
      expect(ratio).toBeGreaterThan(0.95)
      expect(ratio).toBeLessThan(1)
    }
  }
})

test('reads and writes have quantiles of latencies', async () => {
  const values = await valuesOf(
    await startEmulator({ scenario: 'slow', profile: 'modern' }),
    `${MEASUREMENT}_latency`,
    'id',
  )
  expect([...values.keys()]).toEqual(['ttfb_read p50', 'ttlb_write p50', 'ttfb_read p99', 'ttlb_write p99'])
  for (const id of ['ttfb_read', 'ttlb_write']) {
    for (const [end, median] of values.get(`${id} p50`) ?? []) {
      expect(median).toBeGreaterThan(100)
      expect(values.get(`${id} p99`)?.get(end)).toBeGreaterThan(median)
    }
  }
})

test('points have the time at which their window starts, and no host', async () => {
  const emulator = await startEmulator({ profile: 'modern' })
  const rows = await rowsOf(
    emulator,
    script('monitoring_vdc', `${MEASUREMENT}_throughput`, '|> last()', HOUR),
  )
  expect(rows.map(({ _field }) => _field)).toEqual(['total_read_requests_size', 'total_write_requests_size'])
  for (const row of rows) {
    expect(Object.keys(row)).not.toContain('host')
    const age = NOW - Date.parse(row['_time'] ?? '')
    expect(age >= 300_000 && age < 610_000).toBe(true)
  }
})
