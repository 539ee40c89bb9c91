import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import type { Period } from '../../api/history/series.ts'
import { USUAL_INTERVAL_SECONDS, windowSeconds } from '../../api/query/answers/rates.ts'
import { missingAttributes, QUERIED, type QueriedAttribute } from '../../api/query/merge.ts'
import { createPastReader, KEPT_SECONDS } from '../../api/query/past_reader.ts'
import { QUERIES } from '../../api/query/requests/queries.ts'
import { hasRangeDefect, readVersions } from '../../api/query/requests/version.ts'
import { ATTRIBUTES } from '../../catalogue.ts'
import type { PerformanceSource } from '../../config/sections.ts'
import type { RunSettings } from '../../history/run/journal.ts'
import type { HistorySeries } from '../../history/series.ts'
import { QUERY_STEP_SECONDS, type QueriedPool, querySource } from '../../history/sources/query_source.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR, timeText } from '../../time_units.ts'
import { CommandError } from '../cli/exit.ts'
import type { ListedPool, ListedSystem } from './pools.ts'

export interface PlanOptions {
  /** Source of the history: `auto` is the dashboard API, and the Flux API for what it lacks. */
  readonly source: PerformanceSource
  readonly period: Period
  readonly labels: Readonly<Record<string, string>>
  readonly nowSeconds: number
  /** The settings of the run that is continued. */
  readonly earlier: RunSettings | undefined
  readonly signal: AbortSignal
}

/** Plan of some sources. */
export interface Plan {
  readonly sources: readonly HistorySource[]
  /** By key of the source: names of queries that the system refuses, although it answers others. */
  readonly refused: RunSettings['refused']
  /** One line for each limit: what has no past, and why. */
  readonly report: readonly string[]
  /** Names of data that is not written, although the systems may have it. */
  readonly without: readonly string[]
}

/**
 * Finds out whether the Flux API of a system has a history that can be used, by its release and by queries for the
 * last half hour with absolute times. Of a period that is deleted by now, no request is sent. A run that is continued reads what it read
 * before.
 * @param lacks whether the dashboard API lacks metrics that the Flux API may have
 * @throws {ApiError} for failures that may pass
 * @throws {CommandError} if a run that is continued cannot read it now
 */
export async function planQueries(system: ListedSystem, lacks: boolean, options: PlanOptions): Promise<Plan> {
  const { earlier, nowSeconds } = options
  const { name, performance } = system.config
  const key = `${name} query ${system.chosen.map(({ poolId }) => poolId).join(' ')}`
  const cannot = (reason: string): Plan => {
    if (earlier?.sources.includes(key))
      throw new CommandError(`system ${name}: what is left cannot be read now: ${reason}\n${TRY_AGAIN}`)
    return {
      sources: [],
      refused: {},
      report: [missingText(name, lacks, reason)],
      without: [`the Flux API of system ${name}`],
    }
  }
  if (earlier?.sources.includes(key) === false) return cannot('it was not read when the run began')
  const reader = createPastReader({
    interfaces: performance.interfaces,
    query: system.client.query,
    nowSeconds,
    refused: earlier?.refused[key],
  })
  const { start, end } = options.period
  const nodes = nodesOf(system.pools)
  const from = Math.max(start, keptFrom(nowSeconds))
  const source = querySource({ key, system: name, reader, nodes, pools: poolsOf(system, options), from })
  const limits = timeLimits(options)
  const refusedBefore = { [key]: earlier?.refused[key] ?? [] }
  const linesOf = (lines: readonly string[]) => lines.map((line) => `system ${name}: ${line}`)
  if (from >= end) return { sources: [source], refused: refusedBefore, report: linesOf(limits), without: [] }
  const release = await releaseOf(system.client, options.signal)
  if (release.defect !== undefined) return cannot(release.defect)
  const current = await readCurrent(source, system.client, options)
  if (typeof current === 'string') return cannot(current)
  const refused = reader.refused()
  return {
    sources: [source],
    refused: { [key]: refused.map((one) => one.name) },
    without: refused.map((query) => `${query.name} of system ${name}`),
    report: linesOf([
      ...limits,
      ...currentLimits(current, release.name, system.chosen, options),
      ...refused.map(
        (one) => `${one.name} is missing: ${one.failure?.detail ?? 'it was refused when the run began'}`,
      ),
    ]),
  }
}

const TRY_AGAIN = 'What was read is saved: run the same command with --resume later.'

/** Limits that the responses of the last half hour show. */
function currentLimits(
  { series, failed }: Exclude<Awaited<ReturnType<typeof readCurrent>>, string>,
  release: string,
  pools: readonly ListedPool[],
  options: PlanOptions,
): readonly string[] {
  if (series.length === 0)
    return [`the Flux API of ${release} has no points of the last ${PROBED_SECONDS / 60} minutes`]
  if (failed.size === 0) return attributeLimits(series, release, pools, options)
  return [...failed].map(([subject, { detail }]) => `no answer about ${subject} yet: ${detail}`)
}

/** The release of a system, and why its Flux API must not be asked for history. */
async function releaseOf(client: SystemClient, signal: AbortSignal) {
  const versions = await readVersions(client.read, signal)
  const unknown = 'the release cannot be read from /vdc/nodes, and 3.7 and 3.8.0 have wrong values in ranges'
  if (versions === undefined) return { name: '', defect: unknown }
  const name = `release ${versions.join(' and ')}`
  const defect = `the Flux API of ${name} has wrong values in ranges; this is fixed in 3.8.1`
  return { name, defect: hasRangeDefect(versions) ? defect : undefined }
}

const PROBED_SECONDS = 1800

/** Series of the last half hour in the Flux API; a text: why it cannot be used. */
async function readCurrent(
  source: HistorySource,
  client: SystemClient,
  { nowSeconds, labels, signal }: PlanOptions,
) {
  const period = { start: nowSeconds - PROBED_SECONDS, end: nowSeconds, interval: QUERY_STEP_SECONDS }
  const series: HistorySeries[] = []
  const failed = new Map<string, ApiError>()
  try {
    const notice = () => undefined
    for await (const window of source.read(period, { labels, notice, signal })) {
      series.push(...window.series)
      for (const [subject, failure] of window.failed) failed.set(subject, failure)
    }
    return { series, failed }
  } catch (failure) {
    if (!(failure instanceof ApiError) || REASONS[failure.reason].origin !== 'request') throw failure
    return await refusalText(client, failure, signal)
  }
}

/** Whether just absolute times are refused. */
async function refusalText(client: SystemClient, failure: ApiError, signal: AbortSignal): Promise<string> {
  const [first] = QUERIES
  if (failure.reason !== 'client_error' || first === undefined) return failure.detail
  try {
    const dialect = { lastOnly: false, windowSeconds: windowSeconds(USUAL_INTERVAL_SECONDS) }
    await client.query(first, dialect, signal)
    return `the Flux API refuses ranges with absolute times: ${failure.detail}`
  } catch (relative) {
    if (relative instanceof ApiError && !signal.aborted) return relative.detail
    throw relative
  }
}

function nodesOf(pools: readonly ListedPool[]) {
  return pools.flatMap(({ reading }) => reading.nodes)
}

function poolsOf({ chosen }: ListedSystem, options: PlanOptions): QueriedPool[] {
  return chosen.map((pool) => ({
    label: pool.label,
    nodes: pool.reading.nodes,
    attributes: new Set(queriedAttributes(pool, options)),
  }))
}

/** Seconds since the epoch from which on the system has values. */
function keptFrom(nowSeconds: number): number {
  return nowSeconds - Math.max(...Object.values(KEPT_SECONDS))
}

/** The line about a system whose Flux API cannot be used. */
export function missingText(system: string, lacks: boolean, reason: string): string {
  return lacks
    ? `system ${system}: its dashboard API keeps only the history of the capacity; CPU, memory, network, transactions and disk I/O are missing: ${reason}`
    : `system ${system}: the Flux API is not read: ${reason}`
}

const KINDS = [
  { bucket: 'monitoring_main', what: 'transactions, latency and disk I/O' },
  { bucket: 'monitoring_op', what: 'CPU, memory and network' },
] as const

const wholeHour = (seconds: number) => Math.floor(seconds / SECONDS_PER_HOUR) * SECONDS_PER_HOUR

/** One line for each kind of metrics that the system has deleted a part of. */
function timeLimits({ period, nowSeconds }: PlanOptions): string[] {
  return KINDS.flatMap(({ bucket, what }) => {
    const keptSeconds = KEPT_SECONDS[bucket] ?? 0
    const keptFrom = nowSeconds - keptSeconds
    if (period.start >= keptFrom) return []
    const since = period.end <= keptFrom ? 'are missing' : `begin about ${timeText(wholeHour(keptFrom))}`
    return [`${what} ${since}: the Flux API keeps them for ${keptSeconds / SECONDS_PER_DAY} days`]
  })
}

/** The attributes that a pool gets from the Flux API. */
function queriedAttributes(
  { reading }: Pick<ListedPool, 'reading'>,
  { source }: Pick<PlanOptions, 'source'>,
): readonly QueriedAttribute[] {
  return source === 'query' ? QUERIED : missingAttributes(reading)
}

/** The attributes that are not written, because the responses of the last minutes do not have them. */
function attributeLimits(
  current: readonly HistorySeries[],
  release: string,
  pools: readonly ListedPool[],
  options: PlanOptions,
): string[] {
  const asked = new Set(pools.flatMap((pool) => queriedAttributes(pool, options)))
  const unserved = [...asked].filter((name) => !current.some((series) => isOf(name, series)))
  return unserved.length > 0 ? [`${release} does not serve ${unserved.join(', ')}`] : []
}

function isOf(name: QueriedAttribute, { family, labels }: HistorySeries): boolean {
  if (name === 'transactionErrors') return family === 'sds_node_transaction_errors_ratio'
  return ATTRIBUTES.some(
    (attribute) =>
      attribute.name === name &&
      attribute.historyFamily === family &&
      Object.entries(attribute.labels).every(([label, value]) => labels[label] === value),
  )
}
