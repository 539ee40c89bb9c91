import type { SystemClient } from '../../../api/client.ts'
import type { ApiError } from '../../../api/errors/errors.ts'
import { decodeFeed, type FeedReading } from '../../../api/feed/feed.ts'
import {
  createJoin,
  type Join,
  lacksPerformance,
  mergePerformance,
  unmatchedRows,
} from '../../../api/query/merge.ts'
import { createPerformanceReader, type FailedQuery } from '../../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../../api/query/requests/version.ts'
import { EMPTY_REMEDY, failureState, QUERY_REMEDIES } from '../../../api/query/states.ts'
import type { NodePerformance } from '../../../api/query/values/performance.ts'
import type { SystemConfig } from '../../../config/config.ts'
import { counted } from '../../../text.ts'
import type { CheckOutcome, Finding } from '../check/check.ts'
import { asFailure } from '../check/remedies.ts'
import { type RawFeed, type RawPerformance, type SystemFacts, systemCheck } from '../check/system_facts.ts'
import { performanceCoverage } from './attributes.ts'
import { compareBandwidths } from './bandwidth_units.ts'
import { rawRows } from './raw_rows.ts'

/** Checks the query interface of a system, and compares it with a feed that has the same figures. */
export const queryCheck = systemCheck({
  title: 'query',
  needs: ['client', 'feeds'],
  run: async ({ system, signal }, { client, feeds }) => {
    const isLacking = feeds.some(({ reading }) => lacksPerformance(reading))
    if (system.performance.source === 'feed') return unused(disabled(isLacking))
    try {
      return examined(await readPerformance(client, system, signal), { system, feeds, isLacking })
    } catch (failure) {
      signal.throwIfAborted()
      return unused(failedFinding(asFailure(failure), isLacking))
    }
  },
})

/** The exporter has no values of the query interface. */
function unused(finding: Finding): CheckOutcome<SystemFacts> {
  return { findings: [finding], facts: { performance: null } }
}

function disabled(isLacking: boolean): Finding {
  const text = 'not polled (performance.source is feed)'
  // No warning: the setting is the remedy for a system without a query interface.
  return {
    status: 'info',
    text: isLacking ? `${text}, and the feed has no performance figures: auto would poll it` : text,
  }
}

/** A failure matters only if the feed has no performance figures. A system may have no query interface at all. */
function failedFinding(failure: ApiError, isLacking: boolean): Finding {
  const { reason } = failure
  const text = failureText(failure)
  if (!isLacking)
    return { status: 'info', text: `${text}; not needed, because the feed has performance figures` }
  return {
    status: reason === 'not_found' ? 'warn' : 'fail',
    text,
    remedy: QUERY_REMEDIES[reason] ?? failure.remedy,
  }
}

/** The details of the first two reasons are their remedies. */
function failureText({ reason, detail, status, body }: ApiError): string {
  const state = failureState(reason)
  if (status === undefined || (reason !== 'not_found' && reason !== 'forbidden')) return `${state}: ${detail}`
  return `${state} (HTTP ${status}${body?.code === undefined ? '' : `, code ${body.code}`})`
}

interface Examined {
  readonly system: SystemConfig
  readonly feeds: readonly RawFeed[]
  readonly isLacking: boolean
}

function examined(
  performance: RawPerformance,
  { system, feeds, isLacking }: Examined,
): CheckOutcome<SystemFacts> {
  const { source, feedBandwidthUnit } = system.performance
  const isUsed = source === 'query' || isLacking
  if (performance.reading.nodes.length === 0) return unused(emptyInterface(isUsed))
  const readings = feeds.map(({ reading }) => reading)
  // Numbers of every unit are plausible as B/s, so that a wrong setting leaves none out.
  const rawNumbers = feeds.map(({ body }) => decodeFeed(body, 'B/s'))
  const all = readings.flatMap(({ nodes }) => nodes)
  const find = createJoin(performance.reading.nodes, all)
  return {
    findings: [
      availability(performance, isUsed),
      ...performance.failed.map(failedQuery),
      ...emptyQueries(performance),
      ...unmatched(performance, readings, system),
      ...(isUsed ? feeds.flatMap((feed) => filled(feed, find)) : []),
      ...compareBandwidths(rawNumbers, performance.reading, feedBandwidthUnit),
    ],
    facts: { performance: isUsed ? performance : null },
  }
}

function availability({ reading, bodies, isWithoutRates }: RawPerformance, isUsed: boolean): Finding {
  const rows = rawRows(bodies.values()).length
  const use = isUsed ? '' : '; not polled, because the feed has performance figures'
  const without = isWithoutRates
    ? '; this release returns wrong ranges: rates are those between two polls, and are not checked here'
    : ''
  const text = `available: ${counted(rows, 'row')} of ${counted(reading.nodes.length, 'node')}${use}${without}`
  return { status: 'ok', text }
}

function emptyInterface(isUsed: boolean): Finding {
  const text = 'available, but without current data'
  if (!isUsed) return { status: 'info', text }
  return {
    status: 'warn',
    text,
    remedy: EMPTY_REMEDY,
  }
}

function failedQuery({ name, failure }: FailedQuery): Finding {
  return {
    status: 'warn',
    subject: name,
    text: `${failure.detail}; its values are missing`,
    remedy: QUERY_REMEDIES[failure.reason] ?? failure.remedy,
  }
}

/** An answer without rows is normal for some, such as errors of a system without errors. */
function emptyQueries({ empty }: RawPerformance): Finding[] {
  if (empty.length === 0) return []
  return [{ status: 'info', text: `no data for ${empty.join(', ')}` }]
}

/** With configured pools, nodes of others are expected. */
function unmatched(
  { reading }: RawPerformance,
  feeds: readonly FeedReading[],
  { pools }: Pick<SystemConfig, 'pools'>,
): Finding[] {
  const rows = unmatchedRows(reading, feeds)
  if (rows === 0) return []
  const text = `${counted(rows, 'row')} of nodes that are in no feed`
  if (pools !== undefined) return [{ status: 'info', text }]
  const remedy = 'report node_id and host of the rows, with id and displayName of the nodes in the feed'
  return [{ status: 'warn', text, remedy }]
}

/** How many attributes the feed of a pool and the query interface have together. */
function filled({ label: subject, reading }: RawFeed, find: Join<NodePerformance>): Finding[] {
  if (reading.nodes.length === 0) return []
  const merged = mergePerformance(reading, find)
  return [{ status: 'ok', subject, text: `with the feed: ${performanceCoverage(merged)}` }]
}

/** Reads the query interface as the exporter does. @throws {ApiError} as the reader */
async function readPerformance(
  client: SystemClient,
  { performance: { interfaces } }: SystemConfig,
  signal: AbortSignal,
): Promise<RawPerformance> {
  const bodies = new Map<string, unknown>()
  let isWithoutRates = false
  const reader = createPerformanceReader({
    interfaces,
    hasRangeDefect: (ofRead) => readRangeDefect(client.read, ofRead),
    query(query, dialect, ofRead) {
      isWithoutRates ||= dialect.lastOnly
      return client.query(query, dialect, ofRead, (body) => bodies.set(query.name, body))
    },
  })
  const answers = await reader.read(signal)
  return { ...answers, bodies, isWithoutRates }
}
