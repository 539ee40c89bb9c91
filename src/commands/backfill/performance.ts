import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Reason } from '../../api/errors/reasons.ts'
import type { Period } from '../../api/history/series.ts'
import { USUAL_INTERVAL_SECONDS, windowSeconds } from '../../api/query/answers/intervals.ts'
import { createPastReader, KEPT_SECONDS } from '../../api/query/past_reader.ts'
import { QUERIES } from '../../api/query/requests/queries.ts'
import { hasRangeDefect, readVersions } from '../../api/query/requests/version.ts'
import { ATTRIBUTES, type AttributeName } from '../../catalogue.ts'
import {
  QUERY_STEP_SECONDS,
  type QueriedPool,
  type QuerySourceOptions,
  querySource,
} from '../../history/query_source.ts'
import type { HistorySeries } from '../../history/series.ts'
import type { Unanswered } from '../../history/source.ts'
import { counted } from '../../text.ts'
import type { PlannedSource } from './estimate.ts'
import { findQueryGaps } from './gaps.ts'
import type { ListedPool, ListedSystem } from './pools.ts'
import { estimateQueries, sizesOf } from './query_estimate.ts'
import type { QueryPlanOptions } from './query_plan_options.ts'
import { attributeLimits, missingText, queriedAttributes, timeLimits } from './query_report.ts'

export interface QueryPlan {
  /** Undefined: the query interface cannot be used. */
  readonly planned: PlannedSource | undefined
  /** What is missing, and why. */
  readonly report: readonly string[]
  /** Names of the queries that the system refuses, although it answers others. */
  readonly refused: readonly string[]
}

/**
 * Finds out whether the query interface of a system has a past that can be used, by its release and by queries for the
 * last half hour with absolute times. Without gaps, nothing is asked.
 * @param lacks whether the feed lacks figures that the interface may have
 * @throws {ApiError} for failures that may pass
 */
export async function planQueries(
  system: ListedSystem,
  lacks: boolean,
  options: QueryPlanOptions,
): Promise<QueryPlan> {
  const { name } = system.config
  const cannot = (reason: string): QueryPlan => ({
    planned: undefined,
    report: [missingText(name, lacks, reason)],
    refused: [],
  })
  const reader = createPastReader({
    interfaces: system.config.performance.interfaces,
    query: system.client.query,
    nowSeconds: options.nowSeconds,
  })
  const periods = await periodsOf(system, options)
  const ofSystem = { ...identityOf(system), reader, nodes: nodesOf(system.pools) }
  const source = querySource({ ...ofSystem, ...periods })
  const limits = timeLimits(options)
  if (periods.gaps.length === 0) {
    const nothing = () => ({ requests: 0, samples: 0, bytes: 0 })
    const planned = { source, estimate: nothing, text: 'nothing to read' }
    return { planned, report: limits.map((line) => `system ${name}: ${line}`), refused: [] }
  }
  const release = await releaseOf(system.client, options.signal)
  if (release.defect !== undefined) return cannot(release.defect)
  const current = await readCurrent({ ...ofSystem, pools: poolsOf(system, options) }, system.client, options)
  if (typeof current === 'string') return cannot(current)
  const { series, unanswered } = current
  const sizes = sizesOf(series)
  const estimate = estimateQueries(reader, sizes, options.nowSeconds)
  const text = `${counted(nodesOf(system.chosen).length, 'node')}, ${sizes.series} series`
  const refused = reader.refused()
  const more = [
    ...(series.length === 0
      ? [`the query interface of ${release.name} has no points of the last ${PROBED_SECONDS / 60} minutes`]
      : unanswered.length === 0
        ? attributeLimits(series, release.name, system.chosen, options)
        : unanswered.map(({ subject, failure }) => `no answer about ${subject} yet: ${failure.detail}`)),
    ...refused.map(({ name: query, failure }) => `${query} is missing: ${failure.detail}`),
  ]
  return {
    planned: { source, estimate, text },
    report: [...limits, ...more].map((line) => `system ${name}: ${line}`),
    refused: refused.map((query) => query.name),
  }
}

/** The release of a system, and why its query interface must not be asked for the past. */
async function releaseOf(
  client: SystemClient,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly defect: string | undefined }> {
  const versions = await readVersions(client.read, signal)
  if (versions === undefined)
    return {
      name: '',
      defect: 'the release cannot be read from /vdc/nodes, and 3.7 and 3.8.0 have wrong values in ranges',
    }
  const name = `release ${versions.join(' and ')}`
  const defect = `the query interface of ${name} has wrong values in ranges; this is fixed in 3.8.1`
  return { name, defect: hasRangeDefect(versions) ? defect : undefined }
}

const PROBED_SECONDS = 1800
/** Failures that do not pass. */
const LASTING: readonly Reason[] = ['client_error', 'not_found', 'forbidden', 'schema']

interface CurrentFigures {
  readonly series: readonly HistorySeries[]
  readonly unanswered: readonly Unanswered[]
}

/** What the query interface has of the last half hour; a text: why it cannot be used. */
async function readCurrent(
  options: Omit<QuerySourceOptions, 'gaps'>,
  client: SystemClient,
  { nowSeconds, labels, signal }: QueryPlanOptions,
): Promise<CurrentFigures | string> {
  const period = { start: nowSeconds - PROBED_SECONDS, end: nowSeconds, interval: QUERY_STEP_SECONDS }
  const source = querySource({ ...options, gaps: [period] })
  const series: HistorySeries[] = []
  const unanswered: Unanswered[] = []
  try {
    const notice = () => undefined
    for await (const window of source.read(period, { labels, notice, signal })) {
      series.push(...window.series)
      unanswered.push(...window.unanswered)
    }
    return { series, unanswered }
  } catch (failure) {
    if (!(failure instanceof ApiError && LASTING.includes(failure.reason))) throw failure
    return await refusalText(client, failure, signal)
  }
}

/** Whether just absolute times are refused. */
async function refusalText(client: SystemClient, failure: ApiError, signal: AbortSignal): Promise<string> {
  const [first] = QUERIES
  if (failure.reason !== 'client_error' || first === undefined) return failure.detail
  try {
    await client.query(
      first,
      { lastOnly: false, windowSeconds: windowSeconds(USUAL_INTERVAL_SECONDS) },
      signal,
    )
    return `the query interface refuses ranges with absolute times: ${failure.detail}`
  } catch (relative) {
    if (relative instanceof ApiError && !signal.aborted) return relative.detail
    throw relative
  }
}

function identityOf({ config, chosen }: ListedSystem) {
  const pools = chosen.map(({ poolId }) => poolId).join(' ')
  return { key: `${config.name} query ${pools}`, system: config.name }
}

function nodesOf(pools: readonly ListedPool[]) {
  return pools.flatMap(({ reading }) => reading.nodes)
}

function poolsOf({ chosen }: ListedSystem, options: QueryPlanOptions): QueriedPool[] {
  return chosen.map((pool) => ({
    label: pool.label,
    nodes: pool.reading.nodes,
    attributes: new Set(queriedAttributes(pool, options)),
  }))
}

/** Of each kind of figures one family, to find gaps. */
const GAP_FAMILIES = familiesOf(['nodeCpuUtilization', 'transactionReadBandwidth', 'diskReadBandwidthTotal'])

function familiesOf(names: readonly AttributeName[]): string[] {
  return ATTRIBUTES.filter(({ name }) => names.includes(name)).map(({ historyFamily }) => historyFamily)
}

/** What is read, within what the system keeps, and what each pool gets of it. */
async function periodsOf(
  system: ListedSystem,
  options: QueryPlanOptions,
): Promise<{ readonly gaps: readonly Period[]; readonly pools: readonly QueriedPool[] }> {
  const { prometheus, period, nowSeconds, signal } = options
  const keptFrom = nowSeconds - Math.max(...Object.values(KEPT_SECONDS))
  const within = (periods: readonly Period[]) =>
    periods
      .map((one) => ({ ...one, start: Math.max(one.start, keptFrom) }))
      .filter(({ start, end }) => start < end)
  const pools = poolsOf(system, options)
  if (prometheus === undefined) return { gaps: within([period]), pools }
  const withGaps: QueriedPool[] = []
  for (const pool of pools) {
    const query = { system: system.config.name, pool: pool.label, families: GAP_FAMILIES }
    withGaps.push({ ...pool, gaps: await findQueryGaps(prometheus, query, period, nowSeconds, signal) })
  }
  return { gaps: within(united(withGaps.flatMap(({ gaps = [] }) => gaps))), pools: withGaps }
}

/** Periods that overlap or touch become one. */
function united(periods: readonly Period[]): Period[] {
  const result: Period[] = []
  for (const period of periods.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last === undefined || period.start > last.end) result.push(period)
    else result.splice(-1, 1, { ...last, end: Math.max(last.end, period.end) })
  }
  return result
}
