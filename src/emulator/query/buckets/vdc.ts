import { ATTRIBUTE_VALUES } from '../../model/attribute_values.ts'
import { PURPOSES, type Purpose } from '../../model/disk_io.ts'
import { isDown, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { poolFigures } from '../../model/system/pool_figures.ts'
import { type CounterGroup, DISK_IO, LATENCY, PERFORMANCE } from '../points/counter_groups.ts'
import { LATENCY_BOUNDS, latencyQuantile } from '../points/latency_histogram.ts'
import { type Bucket, pointsBetween, type Series, type Source } from '../points/series.ts'

const DAY = 86_400
const IO_FIELDS: Record<Purpose, string> = {
  Ec: 'erasure_encoding',
  Cc: 'consistency_checker',
  Recovery: 'hardware_recovery',
  Geo: 'geo',
  User: 'user_traffic',
  Xor: 'xor',
}

/**
 * `monitoring_vdc`: rates of the whole system, computed every five minutes. The time of a point is the start of its
 * interval, so it is visible only 11 minutes later.
 */
export const MONITORING_VDC: Bucket = {
  retentionSeconds: 60 * DAY,
  delaySeconds: STATISTICS_INTERVAL_SECONDS + 360,
  series: vdcSeries,
}

/** The sums of a group over all nodes in the interval that ends at `k * STATISTICS_INTERVAL_SECONDS`. */
type Totals = (group: CounterGroup, k: number) => Float64Array
type Value = (k: number) => number | undefined

function* vdcSeries(source: Source): Iterable<Series> {
  const totals = totalsOf(source)
  const rate = (group: CounterGroup, slot: number): Value => {
    return (k) => (totals(group, k)[slot] ?? 0) / STATISTICS_INTERVAL_SECONDS
  }
  for (const { measurement, field, group, slot, tags } of PERFORMANCE) {
    yield seriesOf(`performance_${measurement}`, field, rate(group, slot), tags)
  }
  yield* latencySeries(totals)
  yield* diskSeries(rate)
  yield* processSeries(source)
  yield* spaceSeries(source)
}

function* latencySeries(totals: Totals): Iterable<Series> {
  for (const [index, id] of ['ttfb_read', 'ttlb_write'].entries()) {
    for (const [field, quantile] of Object.entries({ p50: 0.5, p99: 0.99 })) {
      const value: Value = (k) => latencyQuantile(totals(LATENCY, k), index * LATENCY_BOUNDS.length, quantile)
      yield seriesOf('performance_latency', field, value, { id })
    }
  }
}

function* diskSeries(rate: (group: CounterGroup, slot: number) => Value): Iterable<Series> {
  for (const [index, type] of ['read', 'write'].entries()) {
    const tags = { type_op: type }
    const rates = PURPOSES.map((_, slot) => rate(DISK_IO, index * PURPOSES.length + slot))
    const total: Value = (k) => rates.reduce((sum, one) => sum + (one(k) ?? 0), 0)
    yield seriesOf('disk_bandwidth', 'total', total, tags)
    for (const [slot, purpose] of PURPOSES.entries()) {
      yield seriesOf('disk_bandwidth', IO_FIELDS[purpose], (k) => rates[slot]?.(k), tags)
    }
  }
}

/** Means over all nodes. */
function* processSeries(source: Source): Iterable<Series> {
  const fields = {
    cpu_used: ATTRIBUTE_VALUES.nodeCpuUtilization,
    mem_used: ATTRIBUTE_VALUES.nodeMemoryUtilizationBytes,
    mem_used_percent: ATTRIBUTE_VALUES.nodeMemoryUtilization,
    nic_utilization: ATTRIBUTE_VALUES.nodeNicUtilization,
  }
  for (const [field, of] of Object.entries(fields)) {
    const value = (k: number) => {
      const states = statesAt(source, k)
      const sum = states.reduce((total, state) => total + of(state), 0)
      return states.length === 0 ? undefined : sum / states.length
    }
    yield seriesOf('process_health', field, value)
  }
}

type PoolFigures = ReturnType<typeof poolFigures>
const GARBAGE = { gc_pending: 'Pending', gc_unreclaim: 'Unreclaimable', gc_reclaimed: 'Reclaimed' } as const

/** Garbage and recovery in bytes, as the dashboard has them. */
function* spaceSeries({ model }: Source): Iterable<Series> {
  const sumOf =
    (part: (figures: PoolFigures) => number): Value =>
    (k) =>
      model.pools
        .map((pool) => part(poolFigures(model, pool, k * STATISTICS_INTERVAL_SECONDS)))
        .reduce((sum, bytes) => sum + bytes, 0)
  for (const scope of ['user', 'system'] as const) {
    for (const [field, part] of Object.entries(GARBAGE))
      yield seriesOf(
        'gc_data',
        `${scope}_${field}`,
        sumOf((figures) => figures[scope][part]),
      )
  }
  const toRecover = sumOf((figures) => figures.recoveryBadChunksTotalSize)
  yield seriesOf('recover_status_summary', 'data_to_recover', toRecover)
}

/** `value` is that of the interval that ends at `k * STATISTICS_INTERVAL_SECONDS`, and its time the start of the interval. */
function seriesOf(
  measurement: string,
  field: string,
  value: Value,
  tags: Readonly<Record<string, string>> = {},
): Series {
  return {
    columns: { _field: field, _measurement: `cq_${measurement}`, ...tags },
    type: 'double',
    points: pointsBetween(
      (k) => k * STATISTICS_INTERVAL_SECONDS,
      (k) => value(k + 1),
      'double',
    ),
  }
}

function totalsOf(source: Source): Totals {
  const known = new Map<CounterGroup, Map<number, Float64Array>>()
  return (group, k) => {
    const points = known.get(group) ?? new Map<number, Float64Array>()
    known.set(group, points)
    const totals = points.get(k) ?? sumOver(source, group, k)
    points.set(k, totals)
    return totals
  }
}

function sumOver(source: Source, group: CounterGroup, k: number): Float64Array {
  const totals = new Float64Array(group.slots)
  for (const state of statesAt(source, k)) group.add(totals, state, STATISTICS_INTERVAL_SECONDS)
  return totals
}

/** The nodes that are not down. */
function statesAt({ model }: Source, k: number): NodeState[] {
  return model.pools
    .flatMap((pool) => pool.nodes)
    .map((node) => model.stateOf(node, k * STATISTICS_INTERVAL_SECONDS, 'current'))
    .filter((state) => !isDown(state))
}
