import type { FeedReading } from '../../../api/feed/feed.ts'
import { REJECTIONS } from '../../../api/parse/json.ts'
import { EMPTY_REMEDY, failureState } from '../../../api/query/answers/refusals.ts'
import { createJoin, type Join, needsQueries, unmatchedRows } from '../../../api/query/merge.ts'
import { hasRangeDefect } from '../../../api/query/requests/version.ts'
import type { NodePerformance, PerformanceReading } from '../../../api/query/values/performance.ts'
import {
  ATTRIBUTES,
  CATEGORIES,
  type Category,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  FEED_BANDWIDTH_UNITS,
  type FeedBandwidthUnit,
  HEALTH_STATES,
  PERFORMANCE_CATEGORIES,
  UNITS,
} from '../../../catalogue.ts'
import type { SystemConfig } from '../../../config/config.ts'
import { newestTimes, uniqueNames } from '../../../metrics/samples.ts'
import { QUERY_ATTRIBUTES, type QueryAttributeName } from '../../../query_catalogue.ts'
import {
  nodesIn,
  type ResourceSummary,
  resourceSummaries,
  softwareText,
  softwareVersions,
} from '../../../state/resources.ts'
import type { Failure, PoolState, SystemState } from '../../../state/state.ts'
import { CATEGORY_OF, OLD_SAMPLE_SECONDS } from '../../../status/pool_status.ts'
import { kindsOf, type ResourceName } from '../../../system_catalogue.ts'
import { counted, durationText, namesText } from '../../../text.ts'
import { largest } from '../../../values/largest.ts'
import { allOf, type Finding, type FindingRow, firstOf } from '../check/check.ts'

interface ReadPool extends PoolState {
  readonly reading: FeedReading
}

export function poolsWithNodes({ pools }: SystemState): ReadPool[] {
  return [...pools.values()].filter((pool): pool is ReadPool => (pool.reading?.nodes.length ?? 0) > 0)
}

/** Whether all nodes are in a good state. The command nodes shows the states. */
export function healthFindings(state: SystemState): Finding[] {
  return poolsWithNodes(state).flatMap(healthOf)
}

/** States that need no action: a node in maintenance was put there. */
const QUIET_STATES: readonly string[] = ['Good', 'Maintenance']

function healthOf({ label: subject, reading: { nodes } }: ReadPool): Finding[] {
  const names = uniqueNames(nodes)
  const named = nodes.map(({ health = 'missing' }, index) => ({ health, name: names[index] ?? '' }))
  const isKnown = ({ health }: { health: string }) => HEALTH_STATES.some((state) => state === health)
  const unknown = named.filter((node) => !isKnown(node))
  const unhealthy = named.filter((node) => isKnown(node) && !QUIET_STATES.includes(node.health))
  const counts = Map.groupBy(named, ({ health }) => health)
  const text = [...counts].map(([health, list]) => `${list.length} ${health}`).join(', ')
  const states = namesText(unhealthy, ({ name, health }) => `${name} (${health})`)
  const unknownNames = namesText(unknown, ({ name }) => name)
  const isGood = counts.size === 1 && counts.has('Good')
  return allOf(subject, [
    [unhealthy.length > 0, 'warn', `${text}: ${states}`, NOT_OURS],
    [unknown.length > 0, 'warn', `${text}: unknown or missing health status of ${unknownNames}`, CHECK],
    [unhealthy.length + unknown.length === 0, isGood ? 'ok' : 'info', text],
  ])
}

const NOT_OURS =
  'this is the state of the storage system, not of the exporter: see sds-exporter nodes and the management interface'
const CHECK = 'check these nodes in the management interface, and report the unknown status'

/** The category `health` of the API has no health states. */
const CATEGORY_TEXTS: Readonly<Record<Category, string>> = {
  capacityForecast: 'forecasts',
  capacity: 'capacity',
  health: 'CPU/memory/network',
  traffic: 'transactions',
  diskIO: 'disk I/O',
}

/** All attributes except forecasts, which have their own check. */
const GROUPS = ([undefined, 'capacity', ...PERFORMANCE_CATEGORIES] as const).map((category) => ({
  name: category === undefined ? 'identity' : CATEGORY_TEXTS[category],
  isPerformance: PERFORMANCE_CATEGORIES.some((one) => one === category),
  attributes: COVERAGE_ATTRIBUTES.filter((attribute) => CATEGORY_OF.get(attribute) === category),
}))

/** Which attributes the nodes have in either API; a missing attribute explains an empty panel. */
export function attributeFindings(state: SystemState): Finding[] {
  return poolsWithNodes(state).flatMap(({ label, reading, merged = reading }) =>
    coverageFindings(label, merged),
  )
}

function coverageFindings(subject: string, { coverage }: Pick<FeedReading, 'coverage'>): Finding[] {
  // An attribute is served if at least one node serves it.
  const isAbsent = (attribute: CoverageAttribute) => (coverage.get(attribute)?.served ?? 0) === 0
  const groups = GROUPS.map((group) => {
    const absent = group.attributes.filter(isAbsent)
    const served = group.attributes.length - absent.length
    return { ...group, absent, served, text: `${group.name} ${served} of ${group.attributes.length}` }
  })
  const [served, all] = [groups.map((group) => group.served), groups.flatMap((group) => group.attributes)]
  const total = served.reduce((sum, count) => sum + count, 0)
  const text = `${total} of ${all.length} attributes available: ${groups.map((group) => group.text).join(', ')}`
  return allOf(subject, [
    [true, 'ok', text],
    [groups.every((group) => !group.isPerformance || group.served === 0), 'info', MODERN],
    ...groups.map(({ name, isPerformance, absent, served }): FindingRow => {
      const missing = `${name}: missing ${absent.join(', ')}`
      return served > 0 ? [absent.length > 0, 'info', missing] : [!isPerformance, 'warn', missing, COMPARE]
    }),
  ])
}

const MODERN =
  'no performance attributes: systems since version 3.6 serve them in the Flux API only, see "query" below'
const COMPARE = 'compare with the management interface; panels and alerts of these attributes have no data'

/** Tolerance for clock differences between nodes. */
const FUTURE_SECONDS = 60

/** Age of the newest sample of each category, by the clock of the system. */
export function ageFindings(state: SystemState, skewSeconds: number): Finding[] {
  const now = Date.now() / 1000 + skewSeconds
  return poolsWithNodes(state).flatMap(({ label, reading, merged = reading }) => {
    const times = merged.nodes.map(newestTimes)
    const newest = CATEGORIES.flatMap((category) => {
      const t = largest(times.map((ofNode) => ofNode.get(category)))
      return t === undefined ? [] : [{ what: CATEGORY_TEXTS[category], t, age: Math.round(now - t) }]
    })
    const unusual = newest.filter(({ age }) => age > OLD_SAMPLE_SECONDS || age < -FUTURE_SECONDS)
    const ages = newest.map(({ what, age }) => `${what} ${durationText(Math.max(age, 0))}`).join(', ')
    return allOf(label, [
      [newest.length > 0 && unusual.length === 0, 'ok', `age of the newest sample: ${ages}`],
      ...unusual.map(ageWarning),
    ])
  })
}

function ageWarning({ what, t, age }: { what: string; t: number; age: number }): FindingRow {
  const state = `${durationText(Math.abs(age))} ${age < 0 ? 'in the future' : 'old'}`
  const text = `${what} is ${state}: the newest sample is from ${new Date(t * 1000).toISOString()}`
  return [true, 'warn', text, age < 0 ? SYNCHRONIZE_NODES : NOT_UPDATED]
}

export const SYNCHRONIZE_NODES = 'correct time synchronisation (NTP) between the nodes of the system'
const NOT_UPDATED =
  'the system does not update its statistics: compare with its management interface, and contact support'

export function resourceFindings(state: SystemState): Finding[] {
  return [...resourceSummaries(state)].map(([name, summary]) => resourceFinding(name, summary, state))
}

function resourceFinding(subject: ResourceName, summary: ResourceSummary, state: SystemState): Finding {
  const { failure, refusal, objects } = summary
  const why = failure ?? refusal
  const status = failure === undefined ? 'info' : 'warn'
  if (objects === undefined)
    return { status, subject, text: why?.message ?? 'no response', remedy: why?.remedy }
  const readings = kindsOf(subject).flatMap(({ name }) => state.resources.get(name)?.reading ?? [])
  const versions = softwareVersions(readings.flatMap((reading) => reading.objects))
  const software = versions.length === 0 ? '' : `, software ${softwareText(versions)}`
  const text = `${counted(objects.exported, 'object')}${software}`
  const [rejected] = readings.flatMap((reading) => reading.rejected)
  if (rejected !== undefined)
    return {
      status: 'warn',
      subject,
      text: `${text}; values are not exported, of which the first ${REJECTIONS[rejected.reason]} ("${rejected.text}")`,
      remedy: 'report this with the version of the system',
    }
  if (why === undefined) return { status: 'ok', subject, text }
  const what = failure === undefined ? 'is not available' : 'could not be read'
  return { status, subject, text: `${text}; a part ${what}: ${why.message}`, remedy: why.remedy }
}

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
const BANDWIDTHS = { 'bandwidth of transactions': 'transaction', 'bandwidth of the network': 'nodeNic' }

/** Compares the bandwidths of the feeds with those of the Flux API; nothing if they have none in common. */
export function compareBandwidths(
  feeds: readonly Pick<FeedReading, 'nodes'>[],
  performance: PerformanceReading,
  configured: FeedBandwidthUnit,
): Finding[] {
  const all = feeds.flatMap(({ nodes }) => nodes)
  const find = createJoin(performance.nodes, feeds)
  return Object.entries(BANDWIDTHS).flatMap(([subject, prefix]) => {
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
    [unit === undefined, 'warn', differs, COMPARE_BOTH],
    [unit !== configured, 'warn', `${differs}: the dashboard API has ${unit}`, setting],
  ]
  return firstOf(subject, rows, 'ok', `${text} agree with the Flux API`)
}

const COMPARE_BOTH =
  'compare both with the management interface; performance.interfaces selects the interfaces that are added'

const MAX_DIGITS = 4

/** `1000`, or `1/1000`. */
function factorText(factor: number): string {
  const round = (value: number) => Number(value.toPrecision(MAX_DIGITS)).toString()
  return factor >= 1 ? round(factor) : `1/${round(1 / factor)}`
}
