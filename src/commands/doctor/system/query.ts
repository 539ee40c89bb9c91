import type { SystemClient } from '../../../api/client.ts'
import type { ApiError } from '../../../api/errors/errors.ts'
import { decodeFeed, type FeedReading } from '../../../api/feed/feed.ts'
import { EMPTY_REMEDY, failureState, queryRemedyOf } from '../../../api/query/answers/refusals.ts'
import {
  createJoin,
  type Join,
  mergePerformance,
  needsQueries,
  unmatchedRows,
} from '../../../api/query/merge.ts'
import { createPerformanceReader, type PerformancePoll } from '../../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../../api/query/requests/version.ts'
import type { NodePerformance, PerformanceReading } from '../../../api/query/values/performance.ts'
import { ATTRIBUTES, FEED_BANDWIDTH_UNITS, type FeedBandwidthUnit, UNITS } from '../../../catalogue.ts'
import type { SystemConfig } from '../../../config/config.ts'
import { QUERY_ATTRIBUTES, type QueryAttributeName } from '../../../query_catalogue.ts'
import { counted } from '../../../text.ts'
import { allOf, asFailure, type CheckResult, type Finding, type FindingRow, firstOf } from '../check/check.ts'
import { type RawFeed, type RawPerformance, type SystemFacts, systemCheck } from '../check/system_facts.ts'
import { performanceCoverage } from './attributes.ts'

/** Checks the query interface of a system, and compares it with a feed that has the same figures. */
export const queryCheck = systemCheck({
  title: 'query',
  needs: ['client', 'feeds'],
  gives: ['performance'],
  run: async ({ system, signal }, { client, feeds }) => {
    const isLacking = feeds.some(({ reading }) => needsQueries(reading))
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
  const text = `${failureState(failure.reason)}: ${failure.detail}`
  const unneeded = `${text}; not needed, because the feed has performance figures`
  const status = failure.reason === 'not_found' ? 'warn' : 'fail'
  return firstOf(undefined, [[!isLacking, 'info', unneeded]], status, text, queryRemedyOf(failure))
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

function failedQuery({ name: subject, failure }: PerformancePoll['failed'][number]): Finding {
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

/** The attributes that both sources have in bytes per second, the feed in `performance.feed_bandwidth_unit`. */
const COMPARED: readonly QueryAttributeName[] = QUERY_ATTRIBUTES.map(({ name }) => name).filter((name) =>
  ATTRIBUTES.some((attribute) => attribute.name === name && attribute.tag === 'Bandwidth'),
)

/** At most so far apart: the load of a node changes. */
const MAX_DISTANCE_SECONDS = 900
/** Smaller figures are mostly rounding: the feed has three decimals. */
const LEAST_VALUE = 0.1
/** Of natural logarithms: the sources may have other intervals and interfaces. Units differ by 6.9. */
const TOLERANCE = 1

/** Which interfaces the feed adds is not documented, so that bandwidths of the network may differ for that reason. */
const GROUPS = { 'bandwidth of transactions': 'transaction', 'bandwidth of the network': 'nodeNic' }

/** Compares the bandwidths of the feeds with those of the query interface; nothing if they have none in common. */
export function compareBandwidths(
  feeds: readonly Pick<FeedReading, 'nodes'>[],
  performance: PerformanceReading,
  configured: FeedBandwidthUnit,
): Finding[] {
  const all = feeds.flatMap(({ nodes }) => nodes)
  const find = createJoin(performance.nodes, feeds)
  return Object.entries(GROUPS).flatMap(([subject, prefix]) => {
    const attributes = COMPARED.filter((name) => name.startsWith(prefix))
    const ratios = attributes.flatMap((name) => ratiosOf(all, find, name))
    return ratios.length === 0 ? [] : [findingOf(subject, ratios, configured)]
  })
}

/** What one attribute has in the query interface for one unit of the feed, in bytes per second, by node. */
function ratiosOf(
  nodes: FeedReading['nodes'],
  find: Join<NodePerformance>,
  name: QueryAttributeName,
): number[] {
  return nodes.flatMap((node) => {
    const [fed, queried] = [node.values.get(name), find(node)?.values.get(name)]
    if (fed === undefined || queried === undefined) return []
    const isNear = Math.abs(queried.t - fed.t) <= MAX_DISTANCE_SECONDS
    return isNear && fed.value >= LEAST_VALUE && queried.value > 0 ? [queried.value / fed.value] : []
  })
}

function findingOf(subject: string, ratios: readonly number[], configured: FeedBandwidthUnit): Finding {
  const median = ratios.toSorted((a, b) => a - b)[Math.floor((ratios.length - 1) / 2)] ?? Number.NaN
  const bytesOf = (unit: FeedBandwidthUnit) => UNITS[unit].toBase(1)
  const unit = FEED_BANDWIDTH_UNITS.find((one) => Math.abs(Math.log(median / bytesOf(one))) <= TOLERANCE)
  const text = `${counted(ratios.length, 'value')} of the nodes feed, read as ${configured},`
  const factor = factorText(bytesOf(configured) / (unit === undefined ? median : bytesOf(unit)))
  const differs = `${text} are ${factor} times those of the query interface`
  const setting = `set performance.feed_bandwidth_unit: ${unit} for this system`
  const rows: readonly FindingRow[] = [
    [unit === undefined, 'warn', differs, COMPARE],
    [unit !== configured, 'warn', `${differs}: the feed has ${unit}`, setting],
  ]
  return firstOf(subject, rows, 'ok', `${text} agree with the query interface`)
}

const COMPARE =
  'compare both with the management interface; performance.interfaces selects the interfaces that are added'

const MAX_DIGITS = 4

/** `1000`, or `1/1000`. */
function factorText(factor: number): string {
  const round = (value: number) => Number(value.toPrecision(MAX_DIGITS)).toString()
  return factor >= 1 ? round(factor) : `1/${round(1 / factor)}`
}
