import { FORECAST_MIN_SHARE, LATENCY_QUANTILE } from '../alerting/conditions.ts'
import type { Result } from '../api/errors/reasons.ts'
import type { Coverage } from '../api/feed/feed.ts'
import type { MergedNode } from '../api/query/merge.ts'
import {
  ATTRIBUTES,
  type AttributeName,
  CATEGORIES,
  type Category,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  FORECAST,
  TRANSACTION_ERRORS,
  UNITS,
} from '../catalogue.ts'
import {
  baseValue,
  type FindHardware,
  newestTimes,
  ratioOf,
  sumOfKnown,
  uniqueNames,
} from '../metrics/samples.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import {
  type Attempt,
  type Failure,
  type ForecastFrames,
  forecastCoverage,
  forecastsByNode,
  type PoolState,
} from '../state/state.ts'
import { counted, durationText, namesText } from '../text.ts'
import { errorStatus, type Finding, type FindingContext } from './finding.ts'
import { DISK_MEMBERS, type NodeStatus, nodeStatus, worstFirst } from './node_status.ts'
import { problemState, type StateInWords } from './states.ts'

/** Three statistics intervals of the storage system, of 5 minutes each. */
export const OLD_SAMPLE_SECONDS = 900

/** What the status of a pool depends on besides its state. Times in seconds since the epoch. */
export interface PoolContext extends FindingContext {
  readonly clockSkewSeconds: number
  readonly staleAfterSeconds: number
  /** Why the last reading of its history failed. */
  readonly historyFailure: Failure | undefined
  /** Quantile of the latency of the last requests in seconds; undefined if it is not known. */
  readonly latency: (operation: LatencyOperation, quantile: number) => number | undefined
}

/** A pool whose state is not known yet. */
export type PoolMembers = ReturnType<typeof poolMembers>
export type PoolStatus = PoolMembers & StateInWords

export function poolMembers(pool: PoolState, detail: PoolDetail, context: PoolContext) {
  const { lastAttempt, lastSuccess, lastFailure, reading } = pool
  const categories = CATEGORIES.map((category) => {
    const newest = detail.newest.get(category) ?? null
    const age = newest === null ? null : Math.round(context.now + context.clockSkewSeconds - newest)
    return { category, newest_sample_timestamp_seconds: newest, newest_sample_age_seconds: age }
  })
  return {
    id: pool.ref.id,
    name: pool.label,
    last_poll: pollStatus(lastAttempt),
    last_success_timestamp_seconds: lastSuccess ?? null,
    values_until_timestamp_seconds:
      reading === undefined || lastSuccess === undefined ? null : lastSuccess + context.staleAfterSeconds,
    last_error: errorStatus(lastFailure),
    history_error: errorStatus(context.historyFailure),
    categories,
    attributes: detail.attributes,
    totals: detail.totals,
    figures: figureStatus(detail.figures, context),
    nodes: detail.nodes,
  }
}

/** @param findings what needs attention although the last poll succeeded */
export function poolStatus(members: PoolMembers, findings: readonly Finding[], now: number): PoolStatus {
  const { id, name, ...others } = members
  return { id, name, ...stateOf(members, findings, now), ...others }
}

/** The mean latency, otherwise the quantile. */
function figureStatus({ forecasts, ...read }: ReadFigures, context: PoolContext) {
  const target = context.conditions.forecastTarget
  const latencyOf = (operation: LatencyOperation) =>
    read[`${operation}_latency_seconds`] ?? context.latency(operation, LATENCY_QUANTILE) ?? null
  return {
    ...read,
    read_latency_seconds: latencyOf('read'),
    write_latency_seconds: latencyOf('write'),
    /** Until the forecast target is reached; 0: it is. */
    forecast_seconds: forecasts.get(String(target)) ?? null,
    forecast_target_percent: target,
  }
}

function pollStatus(attempt: Attempt | undefined) {
  if (attempt === undefined) return null
  const { at, seconds, failure } = attempt
  const result: Result = failure?.reason ?? 'ok'
  return { timestamp_seconds: at, duration_seconds: seconds, result }
}

function stateOf(pool: PoolMembers, findings: readonly Finding[], now: number): StateInWords {
  if (pool.last_poll === null) return { state: 'starting', summary: 'not polled yet' }
  if (pool.last_poll.result !== 'ok') return { state: 'critical', summary: failingText(pool, now) }
  const text = pool.totals.nodes === 0 ? '0 nodes: the pool is empty' : nodesText(pool.totals)
  const words = findings.length === 0 ? [text] : findings.map(({ summary }) => summary)
  return { state: problemState(findings), summary: words.join(', ') }
}

function failingText(pool: PoolMembers, now: number): string {
  const until = pool.values_until_timestamp_seconds
  if (until === null) return 'the last poll failed; there are no values'
  const age = durationText(now - (pool.last_success_timestamp_seconds ?? now))
  return `the last poll failed; values from ${age} ago are served for another ${durationText(Math.max(until - now, 0))}`
}

/** `5 nodes, all Good`, `5 nodes: 4 Good, 1 Bad` */
export function nodesText({ nodes, nodes_by_health }: TotalStatus): string {
  const counts = Object.entries(nodes_by_health)
  if (nodes === 0) return counted(0, 'node')
  const [only, ...others] = counts.map(([health]) => health)
  if (others.length === 0 && only === 'Good') return `${counted(nodes, 'node')}, all Good`
  return `${counted(nodes, 'node')}: ${namesText(counts, ([health, count]) => `${count} ${health}`)}`
}

/** What follows from the reading of a pool alone, whatever the time is. */
type PoolDetail = ReturnType<typeof calculateDetail>
export type PoolDetails = (pool: PoolState, hardwareOf: FindHardware) => PoolDetail

/** Calculates the details of pools, and keeps them as long as the state of the pool. */
export function createPoolDetails(): PoolDetails {
  const details = new WeakMap<PoolState, PoolDetail>()
  return (pool, hardwareOf) => {
    const known = details.get(pool) ?? calculateDetail(pool, hardwareOf)
    details.set(pool, known)
    return known
  }
}

function calculateDetail(pool: PoolState, hardwareOf: FindHardware) {
  const merged = pool.merged?.nodes ?? []
  const names = uniqueNames(merged)
  const nodes: NodeStatus[] = []
  const newest = new Map<Category, number>()
  for (const [index, node] of merged.entries()) {
    nodes.push(nodeStatus(node, names[index] ?? node.id, hardwareOf(node)))
    for (const [category, t] of newestTimes(node)) {
      newest.set(category, Math.max(t, newest.get(category) ?? t))
    }
  }
  return {
    nodes: worstFirst(nodes),
    totals: sumTotals(nodes.map(totalOf)),
    figures: readFigures(pool),
    attributes: attributesOf(pool),
    newest,
  }
}

export const CATEGORY_OF: ReadonlyMap<CoverageAttribute, Category> = new Map<CoverageAttribute, Category>([
  ...ATTRIBUTES.map(({ name, category }) => [name, category] as const),
  [TRANSACTION_ERRORS.name, TRANSACTION_ERRORS.category],
  [FORECAST.name, FORECAST.category],
])

export type AttributeStatus = ReturnType<typeof attributesOf>[number]

/** Empty without a reading. */
function attributesOf({ merged, forecasts }: PoolState) {
  if (merged === undefined) return []
  const ofForecasts = forecastCoverage(forecasts, merged.nodes.length)
  return COVERAGE_ATTRIBUTES.map((name) => {
    const coverage = name === FORECAST.name ? ofForecasts : merged.coverage.get(name)
    const none: Coverage = { served: 0, absent: merged.nodes.length, unreadable: 0 }
    const { served, absent, unreadable } = coverage ?? none
    const hasValue = served + unreadable > 0
    const source = hasValue ? (merged.queried.has(name) ? ('query' as const) : ('feed' as const)) : null
    return { name, category: CATEGORY_OF.get(name) ?? null, source, served, absent, unreadable }
  })
}

/** Sums over the nodes. Null: no node has it. */
export type TotalStatus = ReturnType<typeof sumTotals>

const SUMMED = [
  ...(Object.keys(DISK_MEMBERS) as (keyof typeof DISK_MEMBERS)[]),
  'disk_space_total_bytes',
  'disk_space_allocated_bytes',
] as const

type Summed = Readonly<Record<(typeof SUMMED)[number], number | null>>
interface Counted extends Summed {
  readonly nodes: number
  readonly nodes_by_health: Readonly<Record<string, number>>
}

export function sumTotals(all: readonly Counted[]) {
  const nodes = all.reduce((count, { nodes }) => count + nodes, 0)
  const byHealth = new Map<string, number>()
  for (const [health, count] of all.flatMap((one) => Object.entries(one.nodes_by_health)))
    byHealth.set(health, (byHealth.get(health) ?? 0) + count)
  const sums = Object.fromEntries(
    SUMMED.map((member) => [member, sumOfKnown(all.map((one) => one[member])) ?? null]),
  ) as Summed
  const ratio = ratioOf(sums.disk_space_allocated_bytes, sums.disk_space_total_bytes) ?? null
  // Words come from the storage system; `__proto__` must not be the prototype.
  return { nodes, nodes_by_health: Object.fromEntries(byHealth), ...sums, disk_space_allocated_ratio: ratio }
}

/** In `nodes_by_health`, of nodes without a health status. */
const UNKNOWN_HEALTH = 'unknown'

/** As by the rules, the disk space counts only where both values are known: the ratio would be wrong otherwise. */
function totalOf(node: NodeStatus): Counted {
  const { disk_space_total_bytes: total, disk_space_allocated_bytes: allocated } = node
  const isWhole = total !== null && allocated !== null
  return {
    ...node,
    nodes: 1,
    nodes_by_health: { [node.health ?? UNKNOWN_HEALTH]: 1 },
    disk_space_total_bytes: isWhole ? total : null,
    disk_space_allocated_bytes: isWhole ? allocated : null,
  }
}

/**
 * What users notice of a pool, calculated as by the rules, as far as it follows from its reading alone. Null: not served, or
 * without transactions.
 */
type ReadFigures = ReturnType<typeof readFigures>

type Nodes = readonly MergedNode[]

function readFigures({ merged, forecasts }: PoolState) {
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
function poolForecasts(ids: readonly string[], frames: ForecastFrames): ReadonlyMap<string, number> {
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
