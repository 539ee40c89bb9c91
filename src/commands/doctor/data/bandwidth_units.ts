import type { FeedReading } from '../../../api/feed/feed.ts'
import type { Snapshot } from '../../../api/feed/snapshots.ts'
import { createJoin, type Join } from '../../../api/query/merge.ts'
import type { NodePerformance, PerformanceReading } from '../../../api/query/values/performance.ts'
import { ATTRIBUTES, FEED_BANDWIDTH_UNITS, type FeedBandwidthUnit, UNITS } from '../../../catalogue.ts'
import { QUERY_ATTRIBUTES, type QueryAttributeName } from '../../../query_catalogue.ts'
import { counted } from '../../../text.ts'
import { type Finding, type FindingRow, firstOf } from '../check.ts'

/** The attributes that both sources have in bytes per second, the feed in `performance.feed_bandwidth_unit`. */
const COMPARED: readonly QueryAttributeName[] = QUERY_ATTRIBUTES.map(({ name }) => name).filter((name) =>
  ATTRIBUTES.some((attribute) => attribute.name === name && attribute.tag === 'Bandwidth'),
)

/** Points come every 300 s: a point up to so much later than a snapshot is of the same interval. */
const INTERVAL_SECONDS = 300
/** Of another interval at most: the load of a node changes between them. */
const MAX_DISTANCE_SECONDS = 900
/** Smaller figures are mostly rounding: the feed has three decimals. */
const LEAST_VALUE = 0.1

/** Bytes per second in units that a feed might have. Those without a setting are named only. */
const CANDIDATES: readonly { readonly unit: string; readonly bytes: number }[] = [
  ...FEED_BANDWIDTH_UNITS.map((unit) => ({ unit, bytes: UNITS[unit].toBase(1) })),
  { unit: 'MiB/s', bytes: 1024 ** 2 },
  { unit: 'KiB/s', bytes: 1024 },
  { unit: 'Mbit/s', bytes: 125_000 },
]
/** Tells MB/s from MiB/s, which is 4.9 percent more. */
const EXACT = 0.015
const LEAST_EXACT = 3
/** Interfaces that are added differently. As the next one, a difference of natural logarithms. */
const ROUGH = 0.5
/** Another interval has another load. Units with a setting differ by 6.9. */
const ROUGH_OF_OTHERS = 1

/** Which interfaces the feed adds is not documented, so that bandwidths of the network may differ for that reason. */
const GROUPS = { 'bandwidth of transactions': 'transaction', 'bandwidth of the network': 'nodeNic' }

/** Compares the bandwidths of the feeds with those of the query interface; nothing if they have none in common. */
export function compareBandwidths(
  feeds: readonly Pick<FeedReading, 'nodes'>[],
  performance: PerformanceReading,
  configured: FeedBandwidthUnit,
): Finding[] {
  const all = feeds.flatMap(({ nodes }) => nodes)
  const find = createJoin(performance.nodes, all)
  return Object.entries(GROUPS).flatMap(([subject, prefix]) => {
    const attributes = COMPARED.filter((name) => name.startsWith(prefix))
    const pairs = attributes.flatMap((name) => pairsOf(all, find, name))
    return pairs.length === 0 ? [] : [findingOf(subject, pairs, configured)]
  })
}

/** A value of the feed and of the query interface. */
interface Pair {
  readonly fed: Snapshot
  readonly queried: Snapshot
}

/** The values of one attribute, by node. */
function pairsOf(nodes: FeedReading['nodes'], find: Join<NodePerformance>, name: QueryAttributeName): Pair[] {
  return nodes.flatMap((node) => {
    const [fed, queried] = [node.values.get(name), find(node)?.values.get(name)]
    if (fed === undefined || queried === undefined) return []
    return isComparable({ fed, queried }) ? [{ fed, queried }] : []
  })
}

function isComparable({ fed, queried }: Pair): boolean {
  return Math.abs(queried.t - fed.t) <= MAX_DISTANCE_SECONDS && fed.value >= LEAST_VALUE && queried.value > 0
}

function isSameInterval({ fed, queried }: Pair): boolean {
  return queried.t >= fed.t && queried.t < fed.t + INTERVAL_SECONDS
}

function findingOf(subject: string, pairs: readonly Pair[], configured: FeedBandwidthUnit): Finding {
  const text = `${counted(pairs.length, 'value')} of the nodes feed, read as ${configured},`
  const found = bytesPerUnit(pairs)
  const unit = unitOf(found)
  const factor = factorText(UNITS[configured].toBase(1) / (unit?.bytes ?? found.median))
  const differs = `${text} are ${factor} times those of the query interface`
  if (unit === undefined) return { status: 'warn', subject, text: differs, remedy: COMPARE }
  const remedy = isSettable(unit.unit)
    ? `set performance.feed_bandwidth_unit: ${unit.unit} for this system`
    : `there is no setting for ${unit.unit}: report this with the version of the system`
  const isOther = unit.unit !== configured
  const rows: readonly FindingRow[] = [[isOther, 'warn', `${differs}: the feed has ${unit.unit}`, remedy]]
  return firstOf(subject, rows, 'ok', `${text} agree with the query interface`)
}

const COMPARE =
  'compare both with the management interface; performance.interfaces selects the interfaces that are added'

interface Found {
  /** Bytes per second in one unit of the feed. */
  readonly median: number
  /** Whether the values are of the same interval and have the same ratio. */
  readonly isExact: boolean
  /** Of the median, if it is not exact. */
  readonly tolerance: number
}

function bytesPerUnit(pairs: readonly Pair[]): Found {
  const same = pairs.filter(isSameInterval)
  const ratios = (same.length > 0 ? same : pairs)
    .map(({ fed, queried }) => queried.value / fed.value)
    .toSorted((a, b) => a - b)
  const at = (share: number) => ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN
  const isExact = same.length >= LEAST_EXACT && at(0.75) / at(0.25) < 1 + EXACT
  return { median: at(0.5), isExact, tolerance: same.length > 0 ? ROUGH : ROUGH_OF_OTHERS }
}

function unitOf({ median, isExact, tolerance }: Found): (typeof CANDIDATES)[number] | undefined {
  const distance = ({ bytes }: { readonly bytes: number }) => Math.abs(Math.log(median / bytes))
  const [nearest] = CANDIDATES.toSorted((a, b) => distance(a) - distance(b))
  if (isExact && nearest !== undefined && distance(nearest) <= EXACT) return nearest
  // Less exact, only the units with a setting are told apart.
  return CANDIDATES.find((candidate) => isSettable(candidate.unit) && distance(candidate) <= tolerance)
}

function isSettable(unit: string): boolean {
  return FEED_BANDWIDTH_UNITS.some((one) => one === unit)
}

const MAX_DIGITS = 4

/** `1000`, or `1/1000`. */
function factorText(factor: number): string {
  const round = (value: number) => Number(value.toPrecision(MAX_DIGITS)).toString()
  return factor >= 1 ? round(factor) : `1/${round(1 / factor)}`
}
