import type { MergedNode } from '../api/query/merge.ts'
import type { LatencyHistogram } from '../api/query/values/performance.ts'
import type { LatencyOperation } from '../query_catalogue.ts'

/** The range of the rates of histograms in the rules, for the same reasons. */
const WINDOW_SECONDS = 1200

type Histograms = NonNullable<MergedNode['latencies']>
/** Requests by the upper bound of their latency in seconds. */
type Counts = Map<number, number>

/** The requests between two readings of a pool. */
interface Increase {
  /** By the clock of the system, in seconds since the epoch. */
  readonly t: number
  readonly counts: ReadonlyMap<LatencyOperation, Counts>
}

/** Latencies of the requests to a pool within the last 20 minutes, from the histograms of its nodes. */
export function createLatencyWindow() {
  let histograms: ReadonlyMap<string, Histograms> = new Map()
  let increases: readonly Increase[] = []
  return {
    add(nodes: readonly MergedNode[]): void {
      const next = new Map(nodes.flatMap(({ id, latencies }) => (latencies ? [[id, latencies]] : [])))
      const increase = increaseOf(histograms, next)
      histograms = next
      if (increase !== undefined)
        increases = [...increases.filter(({ t }) => t > increase.t - WINDOW_SECONDS), increase]
    },
    /** In seconds; undefined without requests, and before the second reading with new histograms. */
    quantile(operation: LatencyOperation, quantile: number): number | undefined {
      const isServed = [...histograms.values()].some((ofNode) => ofNode.has(operation))
      return isServed ? quantileOf(summedCounts(increases, operation), quantile) : undefined
    },
  }
}

/** Undefined if no histogram is newer than before. */
function increaseOf(
  before: ReadonlyMap<string, Histograms>,
  after: ReadonlyMap<string, Histograms>,
): Increase | undefined {
  let newest = Number.NEGATIVE_INFINITY
  const counts = new Map<LatencyOperation, Counts>()
  for (const [id, histograms] of after) {
    for (const [operation, histogram] of histograms) {
      const old = before.get(id)?.get(operation)
      if (old === undefined || histogram.t <= old.t) continue
      newest = Math.max(newest, histogram.t)
      const sums = counts.get(operation) ?? new Map()
      counts.set(operation, sums)
      addIncrease(sums, old, histogram)
    }
  }
  return counts.size === 0 ? undefined : { t: newest, counts }
}

/** A count that decreased began at 0 again, as for `rate()`. */
function addIncrease(sums: Counts, before: LatencyHistogram, after: LatencyHistogram): void {
  const old = new Map(before.buckets.map(({ seconds, count }) => [seconds, count]))
  for (const { seconds, count } of after.buckets) {
    const first = old.get(seconds) ?? 0
    sums.set(seconds, (sums.get(seconds) ?? 0) + (count >= first ? count - first : count))
  }
}

function summedCounts(increases: readonly Increase[], operation: LatencyOperation): Counts {
  const sums: Counts = new Map()
  for (const { counts } of increases)
    for (const [seconds, count] of counts.get(operation) ?? [])
      sums.set(seconds, (sums.get(seconds) ?? 0) + count)
  return sums
}

/** As `histogram_quantile()`: linear within a bucket; the largest finite bound for what is above it. */
function quantileOf(counts: Counts, quantile: number): number | undefined {
  const rank = quantile * (counts.get(Number.POSITIVE_INFINITY) ?? 0)
  if (rank === 0) return undefined
  let [lower, below] = [0, 0]
  for (const [seconds, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    if (count >= rank)
      return seconds === Number.POSITIVE_INFINITY
        ? lower
        : lower + ((seconds - lower) * (rank - below)) / (count - below)
    ;[lower, below] = [seconds, count]
  }
  return lower
}
