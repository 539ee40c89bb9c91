import type { SystemClient } from '../../../api/client.ts'
import type { ApiError } from '../../../api/errors/errors.ts'
import { REASONS } from '../../../api/errors/reasons.ts'
import { decodeFeed } from '../../../api/feed/feed.ts'
import {
  createJoin,
  type Join,
  lacksPerformance,
  mergePerformance,
  unmatchedRows,
} from '../../../api/query/merge.ts'
import { createPerformanceReader, type FailedQuery } from '../../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../../api/query/requests/version.ts'
import { EMPTY_REMEDY, failureState, queryRemedyOf } from '../../../api/query/states.ts'
import type { NodePerformance } from '../../../api/query/values/performance.ts'
import type { SystemConfig } from '../../../config/config.ts'
import { counted } from '../../../text.ts'
import { allOf, asFailure, type CheckResult, type Finding, firstOf } from '../check/check.ts'
import { type RawFeed, type RawPerformance, type SystemFacts, systemCheck } from '../check/system_facts.ts'
import { performanceCoverage } from './attributes.ts'
import { compareBandwidths } from './bandwidth_units.ts'

/** Checks the query interface of a system, and compares it with a feed that has the same figures. */
export const queryCheck = systemCheck({
  title: 'query',
  needs: ['client', 'feeds'],
  gives: ['performance'],
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
function unused(finding: Finding): CheckResult<SystemFacts> {
  return { findings: [finding], facts: { performance: null } }
}

/** No warning: the setting is the remedy for a system without a query interface. */
function disabled(isLacking: boolean): Finding {
  const why = isLacking ? ', and the feed has no performance figures: auto would poll it' : ''
  return { status: 'info', text: `not polled (performance.source is feed)${why}` }
}

/** A failure matters only if the feed has no performance figures. A system may have no query interface at all. */
function failedFinding(failure: ApiError, isLacking: boolean): Finding {
  const text = failureText(failure)
  const unneeded = `${text}; not needed, because the feed has performance figures`
  const status = failure.reason === 'not_found' ? 'warn' : 'fail'
  return firstOf(undefined, [[!isLacking, 'info', unneeded]], status, text, queryRemedyOf(failure))
}

/** Without the detail if the interface is not available, because the remedy has it. */
function failureText({ reason, detail, status, body }: ApiError): string {
  const state = failureState(reason)
  if (status === undefined || !REASONS[reason].notAvailable) return `${state}: ${detail}`
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
): CheckResult<SystemFacts> {
  const { source, feedBandwidthUnit } = system.performance
  const { reading, empty } = performance
  const isUsed = source === 'query' || isLacking
  if (reading.nodes.length === 0)
    return unused(firstOf(undefined, [[isUsed, 'warn', NO_DATA, EMPTY_REMEDY]], 'info', NO_DATA))
  const readings = feeds.map((feed) => feed.reading)
  // Decoded as B/s, the smallest unit, so that a wrong setting makes no number implausible.
  const rawNumbers = feeds.map(({ body }) => decodeFeed(body, 'B/s'))
  const find = createJoin(reading.nodes, readings)
  const unmatched = unmatchedRows(reading, readings)
  const strangers = `${counted(unmatched, 'row')} of nodes that are in no feed`
  // The query interface also has the nodes of pools that are not configured.
  const hasOtherPools = system.pools !== undefined
  return {
    findings: [
      availability(performance, isUsed),
      ...performance.failed.map(failedQuery),
      ...allOf(undefined, [
        // An answer without rows is normal for some, such as errors of a system without errors.
        [empty.length > 0, 'info', `no data for ${empty.join(', ')}`],
        [unmatched > 0 && hasOtherPools, 'info', strangers],
        [unmatched > 0 && !hasOtherPools, 'warn', strangers, REPORT_IDS],
      ]),
      ...(isUsed ? feeds.flatMap((feed) => merged(feed, find)) : []),
      ...compareBandwidths(rawNumbers, reading, feedBandwidthUnit),
    ],
    facts: { performance: isUsed ? performance : null },
  }
}

const NO_DATA = 'available, but without current data'
const REPORT_IDS = 'report node_id and host of the rows, with id and displayName of the nodes in the feed'

function availability({ reading, isWithoutRates }: RawPerformance, isUsed: boolean): Finding {
  const use = isUsed ? '' : '; not polled, because the feed has performance figures'
  const without = isWithoutRates
    ? '; this release returns wrong ranges: rates are those between two polls, and are not checked here'
    : ''
  const text = `available: figures of ${counted(reading.nodes.length, 'node')}${use}${without}`
  return { status: 'ok', text }
}

function failedQuery({ name: subject, failure }: FailedQuery): Finding {
  const text = `${failure.detail}; its values are missing`
  return { status: 'warn', subject, text, remedy: queryRemedyOf(failure) }
}

/** How many attributes the feed of a pool and the query interface have together. */
function merged({ label, reading }: RawFeed, find: Join<NodePerformance>): Finding[] {
  const coverage = performanceCoverage(mergePerformance(reading, find))
  return allOf(label, [[reading.nodes.length > 0, 'ok', `with the feed: ${coverage}`]])
}

/** Reads the query interface as the exporter does. @throws {ApiError} as the reader */
async function readPerformance(
  client: SystemClient,
  { performance: { interfaces } }: SystemConfig,
  signal: AbortSignal,
): Promise<RawPerformance> {
  let isWithoutRates = false
  const reader = createPerformanceReader({
    interfaces,
    hasRangeDefect: (ofRead) => readRangeDefect(client.read, ofRead),
    query(query, dialect, ofRead) {
      isWithoutRates ||= dialect.lastOnly
      return client.query(query, dialect, ofRead)
    },
  })
  const answers = await reader.read(signal)
  return { ...answers, isWithoutRates }
}
