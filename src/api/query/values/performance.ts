import { UNITS } from '../../../catalogue.ts'
import {
  LATENCY_IDS,
  LATENCY_TOTAL,
  type LatencyOperation,
  MEASUREMENTS,
  QUERY_ATTRIBUTES,
  type QueryAttributeName,
  type QuerySource as Source,
  type Subject,
} from '../../../query_catalogue.ts'
import { MS_PER_SECOND } from '../../../time_units.ts'
import { largest } from '../../../values/largest.ts'
import type { Snapshot } from '../../feed/snapshots.ts'
import {
  createRejectedValues,
  inRange,
  MAX_REJECTED_CHARACTERS,
  type RejectedValue,
  type RejectedValues,
  type Rejection,
  Unreadable,
} from '../../parse/json.ts'
import type { FieldSeries, QueryAnswer } from '../answers/answer.ts'
import { atCommonTime, maxAgeSeconds, newestPoint, newestTime, sumOfIncreases } from '../answers/rates.ts'
import type { Windows } from '../requests/plan.ts'
import { subjectOf } from '../requests/queries.ts'
import { errorTypes, type SeriesOf, transactionTotals } from './errors.ts'
import {
  type InterfaceRule,
  interfaceTraffic,
  type NetworkTraffic,
  networkTraffic,
  seriesByInterface,
  sumIfAllKnown,
} from './interfaces.ts'

/** What the Flux API has of one node. Absent values are missing. */
export type NodePerformance = Readonly<ReturnType<typeof nodePerformance>>

export interface PerformanceReading {
  /** Time of the answers, in seconds by the clock of the system; undefined if they are empty. */
  readonly stop: number | undefined
  readonly nodes: readonly NodePerformance[]
  readonly rejected: readonly RejectedValue[]
  /** The age of a value, in seconds by the clock of the system, from which it is dropped. */
  readonly maxAgeOf: (subject: Subject) => number
}

interface PerformanceOptions {
  readonly interfaces: InterfaceRule
  /** Fields whose query failed: a sum with one of them would be too small. */
  readonly failedFields: ReadonlySet<string>
}

export interface NodeOptions extends PerformanceOptions {
  /** Calculated values that are not plausible. */
  readonly rejected: RejectedValues
}

export interface PollOptions extends PerformanceOptions {
  /** Older points are not current: `last()` returns the newest point whatever its age is. */
  readonly windowOf: Windows
}

/** Calculates the values of all nodes from the answers of one poll. */
export function calculatePerformance(
  answers: readonly QueryAnswer[],
  { windowOf, ...options }: PollOptions,
): PerformanceReading {
  const byNode = groupByNode(currentSeries(answers, windowOf))
  const bounds = boundsOf(byNode)
  const rejected = createRejectedValues()
  const nodes = byNode.map((ofNode) => nodePerformance(ofNode, bounds, { ...options, rejected }))
  return {
    stop: largest(answers.map(({ stop }) => stop)),
    nodes,
    rejected: [...answers.flatMap((answer) => answer.rejected), ...rejected.list()],
    maxAgeOf: (subject) => maxAgeSeconds(windowOf(subject)),
  }
}

function currentSeries(answers: readonly QueryAnswer[], windowOf: Windows): readonly FieldSeries[] {
  const current: FieldSeries[] = []
  // An answer that is older than the others may be repeated.
  const stop = largest(answers.map((answer) => answer.stop)) ?? 0
  for (const { series } of answers)
    for (const one of series.values()) {
      const t = newestTime(one)
      if (t !== undefined && stop - t <= windowOf(subjectOf(one))) current.push(one)
    }
  return current
}

/** The series of each node. Series of the VDC, which have neither id nor name of a node, are left out. */
export function groupByNode(series: readonly FieldSeries[]): readonly (readonly FieldSeries[])[] {
  // Some series may have the name of their node only.
  const ids = new Map<string | undefined, string>()
  for (const { tags } of series) {
    const [host, id] = [tags.get('host'), tags.get('node_id')]
    if (host !== undefined && id !== undefined) ids.set(host, id)
  }
  const groups = Map.groupBy(series, ({ tags }) => {
    const host = tags.get('host')
    const id = tags.get('node_id') ?? ids.get(host)
    return id === undefined ? host && `host ${host}` : `id ${id}`
  })
  groups.delete(undefined)
  return [...groups.values()]
}

/** The bounds that at least half of the histograms of all nodes have: one without one of them is unusable. */
export function boundsOf(nodes: readonly (readonly FieldSeries[])[]): ReadonlySet<string> {
  const uses = new Map<string, number>()
  let histograms = 0
  for (const series of nodes) {
    const latency = series.filter(({ measurement }) => measurement === MEASUREMENTS.latency.name)
    for (const histogram of histogramSeries(latency).values()) {
      histograms += 1
      for (const { field } of histogram) uses.set(field, (uses.get(field) ?? 0) + 1)
    }
  }
  const common = [...uses].filter(([, count]) => count >= histograms / 2)
  return new Set([LATENCY_TOTAL, ...common.map(([bound]) => bound)])
}

export function nodePerformance(
  series: readonly FieldSeries[],
  bounds: ReadonlySet<string>,
  { interfaces, failedFields, rejected }: NodeOptions,
) {
  const byMeasurement = Map.groupBy(series, ({ measurement }) => measurement)
  const seriesOf: SeriesOf = (name) => byMeasurement.get(MEASUREMENTS[name].name) ?? []
  const network = seriesByInterface(seriesOf('network'))
  const byField = Map.groupBy(series, ({ field }) => field)
  const traffic = networkTraffic(network, interfaces)
  const [nodeId, host] = [tagOf(series, 'node_id'), tagOf(series, 'host')]
  const node = (host ?? nodeId ?? '').slice(0, MAX_REJECTED_CHARACTERS)
  const reject: NodeFacts['reject'] = (attribute, reason, text) =>
    rejected.add({ attribute, reason, node, text })
  return {
    /** At least one of the two is known. */
    nodeId,
    host,
    /** Number of rows in the last answers. */
    rows: series.reduce((rows, { points, isLacking }) => rows + (isLacking ? 0 : points.length), 0),
    values: attributeValues({ byField, traffic, failedFields, reject }),
    transactions: transactionTotals(seriesOf('transactions')),
    errorTypes: errorTypes(seriesOf),
    latencies: latenciesOf(seriesOf('latency'), bounds),
    interfaces: interfaceTraffic(network, interfaces),
  }
}

export function tagOf(series: readonly FieldSeries[], tag: string): string | undefined {
  return series.find(({ tags }) => tags.has(tag))?.tags.get(tag)
}

const OPERATIONS = Object.keys(LATENCY_IDS) as LatencyOperation[]

function histogramSeries(
  latency: readonly FieldSeries[],
): ReadonlyMap<LatencyOperation, readonly FieldSeries[]> {
  const groups = OPERATIONS.map(
    (operation) =>
      [operation, latency.filter(({ tags }) => tags.get('id') === LATENCY_IDS[operation])] as const,
  )
  return new Map(groups.filter(([, group]) => group.length > 0))
}

function latenciesOf(
  latency: readonly FieldSeries[],
  bounds: ReadonlySet<string>,
): ReadonlyMap<LatencyOperation, LatencyHistogram> {
  const histograms = [...histogramSeries(latency)].flatMap(
    ([operation, group]): [LatencyOperation, LatencyHistogram][] => {
      const histogram = latencyHistogram(atCommonTime(group), bounds)
      return histogram === undefined ? [] : [[operation, histogram]]
    },
  )
  return new Map(histograms)
}

/** Latencies of the requests of one node since the start of the process. The sum is not served. */
export interface LatencyHistogram {
  readonly t: number
  readonly buckets: readonly Readonly<ReturnType<typeof bucketOf>>[]
}

/**
 * The histogram of one node and operation, from one series for each bound; undefined if a bound is missing, if the
 * points are of different times, or if counts decrease with growing bounds.
 */
function latencyHistogram(
  series: readonly FieldSeries[],
  common: ReadonlySet<string>,
): LatencyHistogram | undefined {
  const fields = new Set(series.map(({ field }) => field))
  // Two series for a bound are of two processes, whose points are of different times.
  if (fields.size !== series.length || [...common].some((bound) => !fields.has(bound))) return undefined
  const t = newestPoint(series.find(({ field }) => field === LATENCY_TOTAL) ?? NO_SERIES)?.t
  const buckets = series.map((one) => bucketOf(one, t)).toSorted((a, b) => (a.seconds < b.seconds ? -1 : 1))
  const isGrowing = buckets.every(({ count }, index) => count >= (buckets[index - 1]?.count ?? 0))
  return t === undefined || !isGrowing ? undefined : { t, buckets }
}

const NO_SERIES: FieldSeries = { measurement: '', field: '', tags: new Map(), points: [] }

/** A count that is not of this time, or a bound that is no number, makes the histogram invalid. */
function bucketOf(series: FieldSeries, t: number | undefined) {
  const point = newestPoint(series)
  /** Upper bound; infinite for the last bucket. */
  const seconds =
    series.field === LATENCY_TOTAL ? Number.POSITIVE_INFINITY : Number(series.field) / MS_PER_SECOND
  const isUsable = point !== undefined && point.t === t && seconds >= 0
  return { seconds, /** Requests up to the bound. */ count: isUsable ? point.value : Number.NaN }
}

interface Timed {
  readonly t: number
}

const SUBJECTS: ReadonlyMap<QueryAttributeName, Subject> = new Map(
  QUERY_ATTRIBUTES.map(({ name, source }) => {
    if (source.kind === 'network') return [name, 'network']
    const measurement = source.measurement && MEASUREMENTS[source.measurement].name
    return [name, subjectOf({ measurement: measurement ?? '' })]
  }),
)

/** Whether values of this time and subject are kept. */
type IsKept = (t: number, subject: Subject) => boolean

/**
 * The reading without values that have reached their age limit.
 * @param now seconds since the epoch by the clock of the system
 * @param leastSeconds longer than the age limit, if it is
 */
export function withoutOldValues(
  reading: PerformanceReading,
  now: number,
  leastSeconds: number,
): PerformanceReading {
  const isKept: IsKept = (t, subject) => t + Math.max(reading.maxAgeOf(subject), leastSeconds) >= now
  return { ...reading, nodes: reading.nodes.map((node) => keptOf(node, isKept)) }
}

function keptOf(node: NodePerformance, isKept: IsKept): NodePerformance {
  const kept = <T extends Timed>(one: T | undefined) =>
    one !== undefined && isKept(one.t, 'transactions') ? one : undefined
  return {
    ...node,
    values: new Map([...node.values].filter(([name, { t }]) => isKept(t, SUBJECTS.get(name) ?? 'disk I/O'))),
    transactions: kept(node.transactions),
    errorTypes: kept(node.errorTypes),
    latencies: new Map([...node.latencies].filter(([, { t }]) => isKept(t, 'latency'))),
    interfaces: node.interfaces.filter(({ t }) => isKept(t, 'network')),
  }
}

/** Until the first value reaches its age limit; undefined without values. The parameters are those of {@link withoutOldValues}. */
export function secondsLeft(
  reading: PerformanceReading,
  now: number,
  leastSeconds: number,
): number | undefined {
  let least = Number.POSITIVE_INFINITY
  const note: IsKept = (t, subject) => {
    least = Math.min(least, t + Math.max(reading.maxAgeOf(subject), leastSeconds) - now)
    return true
  }
  for (const node of reading.nodes) keptOf(node, note)
  return Number.isFinite(least) ? least : undefined
}

/** What the values of a node are calculated from. */
interface NodeFacts {
  readonly byField: ReadonlyMap<string, readonly FieldSeries[]>
  readonly traffic: NetworkTraffic | undefined
  /** Fields whose query failed: a sum without one of them would be too small. */
  readonly failedFields: ReadonlySet<string>
  /** Called for a value that is not plausible. */
  readonly reject: (attribute: QueryAttributeName, reason: Rejection, text: string) => void
}

/** The attributes of one node in base units; absent ones are missing. */
function attributeValues(facts: NodeFacts): ReadonlyMap<QueryAttributeName, Snapshot> {
  const values = new Map<QueryAttributeName, Snapshot>()
  for (const { name, source } of QUERY_ATTRIBUTES) {
    const found = snapshotOf(source, facts)
    if (found === undefined) continue
    const unit = UNITS[source.unit]
    const read = inRange(found.value, unit)
    if (read instanceof Unreadable) facts.reject(name, read.rejection, read.text)
    else if (read !== undefined) values.set(name, { ...found, value: unit.toBase(found.value) })
  }
  return values
}

type SourceOf<Kind extends Source['kind']> = Extract<Source, { readonly kind: Kind }>

function snapshotOf(source: Source, facts: NodeFacts): Snapshot | undefined {
  if (source.kind === 'network') return networkOf(source, facts.traffic)
  // A history comes here for every time of its points, with the fields of one subject only.
  if (!source.fields.some((field) => facts.byField.has(field))) return undefined
  return source.kind === 'gauge' ? gaugeOf(source, facts) : rateOf(source, facts)
}

/** The sum of the fields, all of the same time; undefined if one is missing. */
function gaugeOf({ measurement, fields }: SourceOf<'gauge'>, { byField }: NodeFacts): Snapshot | undefined {
  const { name } = MEASUREMENTS[measurement]
  const newest = fields.flatMap(
    (field) => newestOf((byField.get(field) ?? []).filter((one) => one.measurement === name)) ?? [],
  )
  const points = atCommonTime(newest).map(newestPoint)
  const t = points[0]?.t
  if (t === undefined || points.length < fields.length || points.some((point) => point?.t !== t))
    return undefined
  return { t, value: points.reduce((sum, point) => sum + (point?.value ?? 0), 0) }
}

/** The newest of several series of one field, such as those before and after a change of a tag. */
function newestOf(series: readonly FieldSeries[]): FieldSeries | undefined {
  const timeOf = (one: FieldSeries) => newestPoint(one)?.t
  const t = largest(series.map(timeOf))
  return series.find((one) => timeOf(one) === t)
}

function rateOf(source: SourceOf<'rate'>, { byField, failedFields }: NodeFacts): Snapshot | undefined {
  const { fields, measurement, tags = {} } = source
  if (fields.some((field) => failedFields.has(field) && !byField.has(field))) return undefined
  const name = measurement && MEASUREMENTS[measurement].name
  const series = fields
    .flatMap((field) => byField.get(field) ?? [])
    .filter((one) => name === undefined || one.measurement === name)
    .filter((one) => Object.entries(tags).every(([tag, value]) => one.tags.get(tag) === value))
  const sum = sumOfIncreases(series)
  return sum && { t: sum.t, value: sum.perSecond }
}

function networkOf(
  { directions, of }: SourceOf<'network'>,
  traffic: NetworkTraffic | undefined,
): Snapshot | undefined {
  if (traffic === undefined) return undefined
  const rates = directions.map((direction) => traffic[`${direction}BytesPerSecond`])
  const value = of === 'bandwidth' ? sumIfAllKnown(rates) : utilization(rates, traffic)
  return value === undefined ? undefined : { t: traffic.t, value }
}

/**
 * Percent of the speed. Links are full duplex, so both directions together are as busy as the busier one. Systems
 * without speeds may serve the utilization itself, which is of both directions.
 */
function utilization(
  rates: readonly (number | undefined)[],
  { capacityBytesPerSecond = 0, utilizationPercent }: NetworkTraffic,
): number | undefined {
  const known = rates.filter((rate) => rate !== undefined)
  if (capacityBytesPerSecond > 0)
    return known.length < rates.length ? undefined : (100 * Math.max(...known)) / capacityBytesPerSecond
  return rates.length > 1 ? utilizationPercent : undefined
}
