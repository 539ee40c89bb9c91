import { FORECAST_MIN_SHARE } from '../../alerting/conditions.ts'
import { type ForecastFrames, forecastsByNode } from '../../api/feed/feed.ts'
import type { MergedNode } from '../../api/query/merge.ts'
import { type AttributeName, UNITS } from '../../catalogue.ts'
import type { PoolState } from '../../state/state.ts'
import { baseValue, ratioOf, sumOfKnown } from './node_figures.ts'

/**
 * What users notice of a pool, calculated as by the rules, as far as it follows from its reading alone. Null: not served, or
 * without transactions.
 */
export type ReadFigures = ReturnType<typeof readFigures>

type Nodes = readonly MergedNode[]

export function readFigures({ merged, forecasts }: PoolState) {
  const nodes = merged?.nodes ?? []
  return {
    reads_per_second: total(nodes, 'transactionReadTransactionsPerSec'),
    writes_per_second: total(nodes, 'transactionWriteTransactionsPerSec'),
    ...failedRatios(nodes),
    read_latency_seconds: mean(nodes, 'transactionReadLatency', 'transactionReadTransactionsPerSec'),
    write_latency_seconds: mean(nodes, 'transactionWriteLatency', 'transactionWriteTransactionsPerSec'),
    forecasts: poolForecasts(
      nodes.map(({ id }) => id),
      forecasts,
    ),
  }
}

function total(nodes: Nodes, name: AttributeName): number | null {
  return sumOfKnown(nodes.map((node) => baseValue(node, name))) ?? null
}

/** Weighted by transactions. Nodes without transactions do not count. */
function mean(nodes: Nodes, value: AttributeName, weight: AttributeName): number | null {
  let [sum, weights] = [0, 0]
  for (const node of nodes) {
    const [seconds, rate] = [baseValue(node, value), baseValue(node, weight)]
    if (seconds === undefined || rate === undefined) continue
    sum += seconds * rate
    weights += rate
  }
  return ratioOf(sum, weights) ?? null
}

function failedRatios(nodes: Nodes) {
  // As by the rules: a node whose successes are not known would change the ratio.
  const counted = nodes.flatMap(({ errors }) => (errors?.succeeded === undefined ? [] : errors))
  const failed = sumOfKnown(counted.map((errors) => errors.failed))
  const succeeded = sumOfKnown(counted.map((errors) => errors.succeeded))
  const all = failed === undefined || succeeded === undefined ? undefined : failed + succeeded
  const types = counted.flatMap((errors) => errors.types)
  const byClients =
    sumOfKnown(types.filter(({ category }) => category === 'User').map(({ count }) => count)) ?? 0
  return {
    failed_transactions_ratio: ratioOf(failed, all) ?? null,
    /** Server errors only. */
    system_failed_transactions_ratio: ratioOf(failed && Math.max(failed - byClients, 0), all) ?? null,
  }
}

/**
 * Seconds until the pool reaches each target, by the target in percent, as by the rules: of each history the median of the
 * nodes, if enough of them have a forecast; the shortest of all histories.
 * @param ids of the nodes of the pool; forecasts are requested less often, and may have nodes that have left
 */
export function poolForecasts(ids: readonly string[], frames: ForecastFrames): ReadonlyMap<string, number> {
  const ofNodes = forecastsByNode(frames)
  const made = ids.flatMap((id) => ofNodes.get(id) ?? []).filter(({ days }) => days !== undefined)
  const series = Map.groupBy(made, ({ targetPercent, historyDays }) => `${targetPercent} ${historyDays}`)
  const shortest = new Map<string, number>()
  for (const forecasts of series.values()) {
    if (forecasts.length < ids.length * FORECAST_MIN_SHARE) continue
    const target = forecasts[0]?.targetPercent ?? ''
    const seconds = UNITS.day.toBase(median(forecasts.map(({ days = 0 }) => days)))
    shortest.set(target, Math.min(seconds, shortest.get(target) ?? seconds))
  }
  return shortest
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [below = 0, above = 0] = [
    sorted[Math.ceil(sorted.length / 2) - 1],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (below + above) / 2
}
