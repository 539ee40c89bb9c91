import { LATENCY_QUANTILE } from '../alerting/conditions.ts'
import type { Result } from '../api/errors/reasons.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import type { Attempt, Failure, PoolState } from '../state/state.ts'
import { counted, durationText, namesText } from '../text.ts'
import { errorStatus, type Finding, type FindingContext } from './finding.ts'
import type { PoolDetail, ReadFigures, TotalStatus } from './pool_detail.ts'
import { problemState, type StateInWords } from './states.ts'

/** Three statistics intervals of the storage system, of 5 minutes each. */
export const OLD_SAMPLE_SECONDS = 900

/** What the status of a pool depends on besides its state. Times in seconds since the epoch. */
export interface PoolContext extends FindingContext {
  readonly clockSkewSeconds: number
  readonly staleAfterSeconds: number
  readonly nextPoll: number | null
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
  const categories = detail.categories.map(({ category, sources, newest }) => ({
    category,
    sources,
    newest_sample_timestamp_seconds: newest ?? null,
    newest_sample_age_seconds:
      newest === undefined ? null : Math.round(context.now + context.clockSkewSeconds - newest),
  }))
  return {
    id: pool.ref.id,
    name: pool.label,
    last_poll: pollStatus(lastAttempt),
    next_poll_timestamp_seconds: context.nextPoll,
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
