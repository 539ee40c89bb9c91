import type { Attempt, Failure, PoolState } from '../state/state.ts'
import { counted, durationText, percentText } from '../text.ts'
import type {
  AttributeStatus,
  CategoryStatus,
  ErrorStatus,
  NodeStatus,
  PollStatus,
  PoolStatus,
  Problem,
  State,
  TotalStatus,
} from './model.ts'
import { FULL_RATIO, healthSeverity } from './node_status.ts'
import { type PoolDetail, UNKNOWN_HEALTH } from './pool_detail.ts'

/** Three statistics intervals of the storage system, of 5 minutes each. */
export const OLD_SAMPLE_SECONDS = 900

/** What the status of a pool depends on besides its state. Times in seconds since the epoch. */
export interface PoolContext {
  readonly system: string
  readonly now: number
  readonly clockSkewSeconds: number
  readonly staleAfterSeconds: number
  readonly nextPoll: number | null
  /** Of the last reading of its history. */
  readonly historyFailure: Failure | undefined
}

export function poolStatus(pool: PoolState, detail: PoolDetail, context: PoolContext): PoolStatus {
  const { lastAttempt, lastSuccess, lastFailure, reading } = pool
  const categories = detail.categories.map(({ category, sources, newest }) => ({
    category,
    sources,
    newest_sample_timestamp_seconds: newest ?? null,
    newest_sample_age_seconds:
      newest === undefined ? null : Math.round(context.now + context.clockSkewSeconds - newest),
  }))
  const members = {
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
    nodes: detail.nodes,
  }
  const { id, name, ...others } = members
  return { id, name, ...stateOf(members, context), ...others }
}

function pollStatus(attempt: Attempt | undefined): PollStatus | null {
  if (attempt === undefined) return null
  const { at, seconds, failure } = attempt
  return { timestamp_seconds: at, duration_seconds: seconds, result: failure?.reason ?? 'ok' }
}

export function errorStatus(failure: Failure | undefined): ErrorStatus | null {
  if (failure === undefined) return null
  const { reason, message, remedy, at } = failure
  return { reason, message, remedy, timestamp_seconds: at }
}

type WithoutState = Omit<PoolStatus, 'state' | 'summary'>

function stateOf(pool: WithoutState, context: PoolContext): { state: State; summary: string } {
  if (pool.last_poll === null) return { state: 'starting', summary: 'not polled yet' }
  if (pool.last_poll.result !== 'ok') return { state: 'failing', summary: failingText(pool, context.now) }
  const text = `${nodesText(pool.totals)}${pool.totals.nodes === 0 ? ': the pool is empty' : ''}`
  const findings = findingsOf(pool)
  const words = [text, ...findings.map(({ short }) => short)].filter((word) => word !== '')
  return { state: findings.length > 0 ? 'warning' : 'ok', summary: words.join(', ') }
}

function failingText(pool: WithoutState, now: number): string {
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
  const shown = counts.slice(0, MAX_NAMED).map(([health, count]) => `${count} ${health}`)
  return `${counted(nodes, 'node')}: ${shown.join(', ')}${counts.length > MAX_NAMED ? ', …' : ''}`
}

/** Names in one text; statuses and nodes may be many. */
const MAX_NAMED = 5

interface Finding {
  readonly severity: Problem['severity']
  readonly text: string
  /** For the summary of the pool; empty if it is there already. */
  readonly short: string
  readonly remedy: string
}

/** What needs attention although the poll succeeded. */
function findingsOf(pool: WithoutState): Finding[] {
  const { nodes, totals, categories, attributes, history_error: history } = pool
  const findings = [
    nodeFinding(nodes),
    diskFinding(nodes, totals.disks_bad ?? 0),
    capacityFinding(totals.disk_space_allocated_ratio ?? 0),
    ageFinding(categories),
    attributeFinding(attributes.filter((one) => one.unreadable > 0)),
    history === null ? undefined : warning(NO_HISTORY, history.remedy, `${NO_HISTORY}: ${history.message}`),
  ]
  return findings.filter((finding) => finding !== undefined)
}

const NO_HISTORY = 'the history could not be read'

function warning(short: string, remedy: string, text = short): Finding {
  return { severity: 'warning', text, short, remedy }
}

function nodeFinding(nodes: readonly NodeStatus[]): Finding | undefined {
  const severityOf = ({ health }: NodeStatus) => (health === null ? 'ok' : healthSeverity(health))
  const troubled = nodes.filter((node) => severityOf(node) === 'bad' || severityOf(node) === 'warning')
  if (troubled.length === 0) return undefined
  const isBad = troubled.some((node) => severityOf(node) === 'bad')
  const names = namesText(troubled, ({ name, health }) => `${name} (${health ?? UNKNOWN_HEALTH})`)
  const text = `${troubled.length} of ${counted(nodes.length, 'node')} not Good: ${names}`
  const remedy = 'this is the state of the storage system: see its management interface'
  return { severity: isBad ? 'bad' : 'warning', text, short: '', remedy }
}

function namesText<T>(list: readonly T[], text: (one: T) => string): string {
  const more = list.length - MAX_NAMED
  return `${list.slice(0, MAX_NAMED).map(text).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function diskFinding(nodes: readonly NodeStatus[], bad: number): Finding | undefined {
  if (bad === 0) return undefined
  const withBad = nodes.filter((node) => (node.disks_bad ?? 0) > 0)
  const short = counted(bad, 'bad disk')
  const names = namesText(withBad, ({ name, disks_bad }) => `${name} (${disks_bad})`)
  return warning(short, 'replace these disks', `${short}: ${names}`)
}

function capacityFinding(ratio: number): Finding | undefined {
  if (ratio < FULL_RATIO) return undefined
  const remedy = 'delete data, or add nodes or disks to the pool'
  return warning(`${percentText(ratio)} of the disk space is allocated`, remedy)
}

function ageFinding(categories: readonly CategoryStatus[]): Finding | undefined {
  const age = ({ newest_sample_age_seconds: seconds }: CategoryStatus) => seconds ?? 0
  const old = categories.filter((one) => age(one) > OLD_SAMPLE_SECONDS)
  if (old.length === 0) return undefined
  const ages = old.map((one) => `${one.category} ${durationText(age(one))}`).join(', ')
  const remedy =
    'the storage system answers, but does not update its statistics: compare with its management interface, and contact its support'
  return warning('old samples', remedy, `the newest samples are old: ${ages}`)
}

function attributeFinding(unreadable: readonly AttributeStatus[]): Finding | undefined {
  if (unreadable.length === 0) return undefined
  const text = `unreadable values: ${namesText(unreadable, ({ name }) => name)}`
  const remedy = 'the log has one of the values of each attribute; report them with the version of the system'
  return warning('unreadable values', remedy, text)
}

/** The problems of a pool, the failed poll first. */
export function poolProblems(pool: PoolStatus, system: string): Problem[] {
  const place = { system, pool: pool.name, pool_id: pool.id }
  const { last_error: error, last_poll: poll } = pool
  const found = findingsOf(pool).map(({ severity, text, remedy }) => {
    return { severity, ...place, text, remedy, timestamp_seconds: null }
  })
  if (poll === null || poll.result === 'ok' || error === null) return found
  const { message: text, remedy, timestamp_seconds } = error
  return [{ severity: 'bad', ...place, text, remedy, timestamp_seconds }, ...found]
}
