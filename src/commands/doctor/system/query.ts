import type { FeedReading } from '../../../api/feed/feed.ts'
import { EMPTY_REMEDY, failureState } from '../../../api/query/answers/refusals.ts'
import { createJoin, type Join, needsQueries, unmatchedRows } from '../../../api/query/merge.ts'
import { hasRangeDefect } from '../../../api/query/requests/version.ts'
import type { NodePerformance, PerformanceReading } from '../../../api/query/values/performance.ts'
import { ATTRIBUTES, FEED_BANDWIDTH_UNITS, type FeedBandwidthUnit, UNITS } from '../../../catalogue.ts'
import type { SystemConfig } from '../../../config/config.ts'
import { QUERY_ATTRIBUTES, type QueryAttributeName } from '../../../query_catalogue.ts'
import { nodesIn, softwareVersions } from '../../../state/resources.ts'
import type { Failure, SystemState } from '../../../state/state.ts'
import { counted } from '../../../text.ts'
import { allOf, type Finding, type FindingRow, firstOf } from '../check/check.ts'
import { poolsWithNodes } from './findings.ts'

/** Whether the Flux API has what the exporter needs of it; compares it with the dashboard API where both have values. */
export function queryFindings(
  { pools, performance: { source, feedBandwidthUnit } }: SystemConfig,
  state: SystemState,
): Finding[] {
  const feeds = poolsWithNodes(state).map(({ reading }) => reading)
  const isLacking = feeds.some(needsQueries)
  const isUsed = source === 'query' || isLacking
  // No warning: the setting is the remedy for a system without a Flux API.
  const off = `not polled (performance.source is feed)${isLacking ? AUTO_WOULD : ''}`
  if (source === 'feed') return [{ status: 'info', text: off }]
  const { reading, failure, partFailure } = state.performance ?? {}
  if (failure !== undefined) return [failedFinding(failure, isLacking)]
  if (reading === undefined || reading.nodes.length === 0)
    return [firstOf(undefined, [[isUsed, 'warn', NO_DATA, EMPTY_REMEDY]], 'info', NO_DATA)]
  const unmatched = unmatchedRows(reading, feeds)
  const unmatchedText = `${counted(unmatched, 'row')} of nodes that no pool has`
  return [
    ...allOf(undefined, [
      [
        true,
        'ok',
        `available: values of ${counted(reading.nodes.length, 'node')}${isUsed ? withoutRates(state) : UNUSED}`,
      ],
      [partFailure !== undefined, 'warn', partFailure?.message ?? '', partFailure?.remedy],
      // The Flux API also has the nodes of pools that are not configured.
      [unmatched > 0 && pools !== undefined, 'info', unmatchedText],
      [unmatched > 0 && pools === undefined, 'warn', unmatchedText, REPORT_IDS],
    ]),
    ...compareBandwidths(feeds, reading, feedBandwidthUnit),
  ]
}

const AUTO_WOULD = ', and the dashboard API has no performance metrics: auto would poll it'
const UNUSED = '; not polled, because the dashboard API has performance metrics'
const NO_DATA = 'available, but without current data'
const REPORT_IDS =
  'report node_id and host of the rows, with id and displayName of the nodes in the dashboard API'

function withoutRates({ resources }: SystemState): string {
  const versions = softwareVersions(nodesIn(resources))
  return hasRangeDefect(versions.map(([version]) => version))
    ? '; this release returns wrong ranges: rates are those between two polls, and are not checked here'
    : ''
}

/** A failure matters only if the dashboard API has no performance metrics. A system may have no Flux API at all. */
function failedFinding({ reason, message, remedy }: Failure, isLacking: boolean): Finding {
  const text = `${failureState(reason)}: ${message}`
  const unneeded = `${text}; not needed, because the dashboard API has performance metrics`
  const status = reason === 'not_found' ? 'warn' : 'fail'
  return firstOf(undefined, [[!isLacking, 'info', unneeded]], status, text, remedy)
}

/** The attributes that both sources have in bytes per second, the feed in `performance.feed_bandwidth_unit`. */
const COMPARED: readonly QueryAttributeName[] = QUERY_ATTRIBUTES.map(({ name }) => name).filter((name) =>
  ATTRIBUTES.some((attribute) => attribute.name === name && attribute.tag === 'Bandwidth'),
)

/** At most so far apart: the load of a node changes. */
const MAX_DISTANCE_SECONDS = 900
/** Smaller values are mostly rounding: the dashboard API has three decimals. */
const LEAST_VALUE = 0.1
/** Difference of natural logarithms: the sources may have other intervals and interfaces. Units differ by 6.9. */
const TOLERANCE = 1

/** Which interfaces the feed adds is not documented, so that bandwidths of the network may differ for that reason. */
const GROUPS = { 'bandwidth of transactions': 'transaction', 'bandwidth of the network': 'nodeNic' }

/** Compares the bandwidths of the feeds with those of the Flux API; nothing if they have none in common. */
export function compareBandwidths(
  feeds: readonly Pick<FeedReading, 'nodes'>[],
  performance: PerformanceReading,
  configured: FeedBandwidthUnit,
): Finding[] {
  const all = feeds.flatMap(({ nodes }) => nodes)
  const find = createJoin(performance.nodes, feeds)
  return Object.entries(GROUPS).flatMap(([subject, prefix]) => {
    const attributes = COMPARED.filter((name) => name.startsWith(prefix))
    const ratios = attributes.flatMap((name) => ratiosOf(all, find, name, configured))
    return ratios.length === 0 ? [] : [findingOf(subject, ratios, configured)]
  })
}

/** Bytes per second in the Flux API for one unit of the dashboard API, of one attribute, by node. */
function ratiosOf(
  nodes: FeedReading['nodes'],
  find: Join<NodePerformance>,
  name: QueryAttributeName,
  configured: FeedBandwidthUnit,
): number[] {
  return nodes.flatMap((node) => {
    const [fed, queried] = [node.values.get(name), find(node)?.values.get(name)]
    if (fed === undefined || queried === undefined) return []
    const isNear = Math.abs(queried.t - fed.t) <= MAX_DISTANCE_SECONDS
    const served = fed.value / UNITS[configured].toBase(1)
    return isNear && served >= LEAST_VALUE && queried.value > 0 ? [queried.value / served] : []
  })
}

function findingOf(subject: string, ratios: readonly number[], configured: FeedBandwidthUnit): Finding {
  const median = ratios.toSorted((a, b) => a - b)[Math.floor((ratios.length - 1) / 2)] ?? Number.NaN
  const bytesOf = (unit: FeedBandwidthUnit) => UNITS[unit].toBase(1)
  const unit = FEED_BANDWIDTH_UNITS.find((one) => Math.abs(Math.log(median / bytesOf(one))) <= TOLERANCE)
  const text = `${counted(ratios.length, 'value')} of the dashboard API, read as ${configured},`
  const factor = factorText(bytesOf(configured) / (unit === undefined ? median : bytesOf(unit)))
  const differs = `${text} are ${factor} times those of the Flux API`
  const setting = `set performance.feed_bandwidth_unit: ${unit} for this system`
  const rows: readonly FindingRow[] = [
    [unit === undefined, 'warn', differs, COMPARE],
    [unit !== configured, 'warn', `${differs}: the dashboard API has ${unit}`, setting],
  ]
  return firstOf(subject, rows, 'ok', `${text} agree with the Flux API`)
}

const COMPARE =
  'compare both with the management interface; performance.interfaces selects the interfaces that are added'

const MAX_DIGITS = 4

/** `1000`, or `1/1000`. */
function factorText(factor: number): string {
  const round = (value: number) => Number(value.toPrecision(MAX_DIGITS)).toString()
  return factor >= 1 ? round(factor) : `1/${round(1 / factor)}`
}
