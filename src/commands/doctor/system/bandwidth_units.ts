import type { FeedReading } from '../../../api/feed/feed.ts'
import { createJoin, type Join } from '../../../api/query/merge.ts'
import type { NodePerformance, PerformanceReading } from '../../../api/query/values/performance.ts'
import { ATTRIBUTES, FEED_BANDWIDTH_UNITS, type FeedBandwidthUnit, UNITS } from '../../../catalogue.ts'
import { QUERY_ATTRIBUTES, type QueryAttributeName } from '../../../query_catalogue.ts'
import { counted } from '../../../text.ts'
import { type Finding, type FindingRow, firstOf } from '../check/check.ts'

/** The attributes that both sources have in bytes per second, the feed in `performance.feed_bandwidth_unit`. */
const COMPARED: readonly QueryAttributeName[] = QUERY_ATTRIBUTES.map(({ name }) => name).filter((name) =>
  ATTRIBUTES.some((attribute) => attribute.name === name && attribute.tag === 'Bandwidth'),
)

/** At most so far apart: the load of a node changes. */
const MAX_DISTANCE_SECONDS = 900
/** Smaller figures are mostly rounding: the feed has three decimals. */
const LEAST_VALUE = 0.1
/**
 * A difference of natural logarithms: the sources may have another interval, and add other interfaces. Units differ by 6.9.
 */
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
