import { expect, test } from 'vitest'
import { call, feedPath, type Json, NOW, NOW_SECONDS, seriesIn, startEmulator, valueIn } from '../client.ts'
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

test('rates and increments are those of the dashboard API', async () => {
  const emulator = await startEmulator({ profile: 'classic', scenario: 'error-burst', namespaces: 20 })
  const sum = await sumsOf(emulator)
  const rates = await valuesOf(emulator, `${MEASUREMENT}_transaction`)
  const increments = await valuesOf(emulator, `${MEASUREMENT}_transaction_delta`)
  const methods = await valuesOf(emulator, `${MEASUREMENT}_transaction_method_delta`, 'method')
  const throughput = await valuesOf(emulator, `${MEASUREMENT}_throughput`)
  const disk = await valuesOf(emulator, 'cq_disk_bandwidth', 'type_op')
  const times = [...(rates.get('succeed_request_counter') ?? new Map()).keys()]
  expect(times.length).toBeGreaterThan(9)
  for (const t of times) {
    const tps = ['Read', 'Write'].map((direction) => sum(`transaction${direction}TransactionsPerSec`, t))
    const [reads = 0, writes = 0] = tps
    const of = (series: Awaited<ReturnType<typeof valuesOf>>, name: string) =>
      series.get(name)?.get(t) ?? Number.NaN
    const both = (series: Awaited<ReturnType<typeof valuesOf>>, suffix: string, method = '') =>
      of(series, `${method}succeed_request_counter${suffix}`) +
      of(series, `${method}failed_request_counter${suffix}`)
    expect(both(rates, '')).toBeCloseTo(reads + writes, 6)
    expect(both(increments, '_i')).toBe(Math.round(300 * (reads + writes)))
    expect(both(methods, '_i', 'READ ')).toBe(Math.round(300 * reads))
    expect(both(methods, '_i', 'WRITE ')).toBe(Math.round(300 * writes))
    expect(of(throughput, 'total_read_requests_size')).toBeCloseTo(
      MEGABYTE * sum('transactionReadBandwidth', t),
      0,
    )
    expect(of(disk, 'write geo')).toBeCloseTo(MEGABYTE * sum('diskWriteBandwidthGeo', t), 0)
    expect(of(disk, 'read total')).toBeCloseTo(MEGABYTE * sum('diskReadBandwidthTotal', t), 0)
  }
})

test('gauges are those of the system at the end of the window', async () => {
  const end = NOW_SECONDS - (NOW_SECONDS % 3_600)
  let now = end
  const emulator = await startEmulator({
    profile: 'modern',
    scenario: 'disk-failures',
    clock: () => now * 1000,
  })
  const zone = (await call(emulator, '/dashboard/zones/localzone?dataType=current')).json()
  now += 400
  const rows: [string, Record<string, string>][] = [
    [
      'cq_capacity_vdc',
      {
        total_i: 'diskSpaceTotalCurrent',
        used: 'diskSpaceAllocatedCurrent',
        available: 'diskSpaceFreeCurrent',
        reserved: 'diskSpaceReservedCurrent',
        offline: 'diskSpaceOfflineTotalCurrent',
      },
    ],
    [
      'cq_gc_data',
      { user_gc_pending: 'gcUserPendingCurrent', system_gc_unreclaim: 'gcSystemUnreclaimableCurrent' },
    ],
    ['cq_recover_status_summary', { data_to_recover: 'recoveryBadChunksTotalSizeCurrent' }],
    ['cq_capacity_ec', { total_coded_data: 'chunksEcCodedTotalSealSizeCurrent' }],
    ['cq_alerts', { UnackCritical: 'alertsNumUnackCritical', UnackError: 'alertsNumUnackError' }],
  ]
  for (const [measurement, fields] of rows) {
    const values = await valuesOf(emulator, measurement)
    for (const [field, name] of Object.entries(fields))
      expect(values.get(field)?.get(end)).toBe(valueIn(zone[name]))
  }
  const nodes = await valuesOf(emulator, 'cq_hardware_health_nodes_counter')
  expect(nodes.get('bad_nodes')?.get(end)).toBe(Number(zone.numBadNodes))
  const disks = await valuesOf(emulator, 'cq_hardware_health_disks_counter')
  expect(disks.get('bad_disks')?.get(end)).toBe(Number(zone.numBadDisks))
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
