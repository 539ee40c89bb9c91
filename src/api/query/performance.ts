import {
  LATENCY_IDS,
  type LatencyOperation,
  MEASUREMENTS,
  QUERY_ATTRIBUTES,
  type QueryAttribute,
  type QueryAttributeName,
} from '../../query_catalogue.ts'
import { atOnce, type Steps } from '../../slices.ts'
import type { RejectedValue } from '../feed/rejected_values.ts'
import type { Snapshot } from '../feed/snapshots.ts'
import type { QueryAnswer, Series } from './answer.ts'
import { type TimedErrors, transactionErrors } from './errors.ts'
import {
  type InterfaceCounters,
  type InterfaceRule,
  interfaceCounters,
  type NetworkTraffic,
  networkTraffic,
  seriesByInterface,
} from './interfaces.ts'
import { commonBounds, type LatencyHistogram, latencyHistogram } from './latency.ts'
import { newestPoint, sumOfIncreases } from './rates.ts'

/** What the query interface has of one node. Absent values are missing. */
export interface NodePerformance {
  /** At least one of the two is known. */
  readonly nodeId: string | undefined
  readonly host: string | undefined
  /** Number of rows that it was calculated from. */
  readonly rows: number
  readonly values: ReadonlyMap<QueryAttributeName, Snapshot>
  readonly errors: TimedErrors | undefined
  readonly latencies: ReadonlyMap<LatencyOperation, LatencyHistogram>
  readonly interfaces: readonly InterfaceCounters[]
}

/** The performance of all nodes of a system. */
export interface PerformanceReading {
  /** Time of the answers, in seconds by the clock of the system; undefined if they are empty. */
  readonly stop: number | undefined
  readonly nodes: readonly NodePerformance[]
  readonly rejected: readonly RejectedValue[]
}

/**
 * The age of a point, by the clock of the system, up to which it is current. Points come every 300 s and are up to 7
 * minutes old when they arrive; `last()` returns the newest point whatever its age is.
 */
export const MAX_AGE_SECONDS = 900

interface PerformanceOptions {
  readonly interfaces: InterfaceRule
  /** Fields whose query failed: a sum with one of them would be too small. */
  readonly failedFields: ReadonlySet<string>
}

/** Calculates the values of all nodes from the answers of one poll. */
export function* performanceSteps(
  answers: readonly QueryAnswer[],
  options: PerformanceOptions,
): Steps<PerformanceReading> {
  const series = answers.flatMap(currentSeries)
  const byNode = groupByNode(series)
  const histograms = [...byNode.values()].flatMap((ofNode) => [...histogramSeries(ofNode).values()])
  const bounds = commonBounds(histograms)
  const nodes: NodePerformance[] = []
  for (const ofNode of byNode.values()) {
    nodes.push(nodePerformance(ofNode, bounds, options))
    yield
  }
  const stops = answers.flatMap(({ stop }) => stop ?? [])
  return {
    stop: stops.length === 0 ? undefined : Math.max(...stops),
    nodes,
    rejected: answers.flatMap(({ rejected }) => rejected),
  }
}

/** {@link performanceSteps} without interruption. */
export function performanceOf(
  answers: readonly QueryAnswer[],
  options: PerformanceOptions,
): PerformanceReading {
  return atOnce(performanceSteps(answers, options))
}

function currentSeries({ series, stop = 0 }: QueryAnswer): Series[] {
  return [...series.values()].filter((one) => {
    const newest = newestPoint(one)
    return newest !== undefined && stop - newest.t <= MAX_AGE_SECONDS
  })
}

/** The series of each node. Series of the VDC, which have neither id nor name of a node, are left out. */
function groupByNode(series: readonly Series[]): ReadonlyMap<string, readonly Series[]> {
  const ids = idsByHost(series)
  const keyOf = ({ tags }: Series) => {
    const host = tags.get('host')
    const id = tags.get('node_id') ?? ids.get(host)
    if (id === undefined && host === undefined) return ''
    return id === undefined ? `host ${host}` : `id ${id}`
  }
  const groups = Map.groupBy(series, keyOf)
  groups.delete('')
  return groups
}

/** Some series may have the name of their node only. */
function idsByHost(series: readonly Series[]): ReadonlyMap<string | undefined, string> {
  const pairs = series.flatMap(({ tags }): [string, string][] => {
    const [host, id] = [tags.get('host'), tags.get('node_id')]
    return host === undefined || id === undefined ? [] : [[host, id]]
  })
  return new Map(pairs)
}

function nodePerformance(
  series: readonly Series[],
  bounds: ReadonlySet<string>,
  { interfaces, failedFields }: PerformanceOptions,
): NodePerformance {
  const network = seriesByInterface(
    series.filter(({ measurement }) => measurement === MEASUREMENTS.network.name),
  )
  const byField = Map.groupBy(series, ({ field }) => field)
  const facts = { byField, traffic: networkTraffic(network, interfaces), failedFields }
  const values = QUERY_ATTRIBUTES.flatMap((attribute): [QueryAttributeName, Snapshot][] => {
    const snapshot = snapshotOf(attribute, facts)
    return snapshot === undefined ? [] : [[attribute.name, snapshot]]
  })
  return {
    nodeId: tagOf(series, 'node_id'),
    host: tagOf(series, 'host'),
    rows: series.reduce((rows, { points }) => rows + points.length, 0),
    values: new Map(values),
    errors: transactionErrors(series),
    latencies: latenciesOf(series, bounds),
    interfaces: interfaceCounters(network, interfaces),
  }
}

function tagOf(series: readonly Series[], tag: string): string | undefined {
  return series.find(({ tags }) => tags.has(tag))?.tags.get(tag)
}

interface NodeFacts {
  readonly byField: ReadonlyMap<string, readonly Series[]>
  readonly traffic: NetworkTraffic | undefined
  readonly failedFields: ReadonlySet<string>
}

type SourceOf<Kind extends QueryAttribute['source']['kind']> = Extract<
  QueryAttribute['source'],
  { readonly kind: Kind }
>

function snapshotOf({ source }: QueryAttribute, facts: NodeFacts): Snapshot | undefined {
  const found =
    source.kind === 'gauge'
      ? gaugeOf(source, facts)
      : source.kind === 'rate'
        ? rateOf(source, facts)
        : networkOf(source, facts.traffic)
  return found && { ...found, unit: source.unit }
}

/** The sum of the fields, all of the same time; undefined if one is missing. */
function gaugeOf({ measurement, fields }: SourceOf<'gauge'>, { byField }: NodeFacts): Snapshot | undefined {
  const { name } = MEASUREMENTS[measurement]
  const points = fields.map((field) => {
    const series = byField.get(field)?.find((one) => one.measurement === name)
    return series && newestPoint(series)
  })
  const t = points[0]?.t
  let value = 0
  for (const point of points) {
    if (point === undefined || point.t !== t) return undefined
    value += point.value
  }
  return t === undefined ? undefined : { t, value }
}

function rateOf(source: SourceOf<'rate'>, { byField, failedFields }: NodeFacts): Snapshot | undefined {
  const { fields, measurement, tags = {} } = source
  if (fields.some((field) => failedFields.has(field))) return undefined
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
  const value = of === 'bandwidth' ? sumOf(rates) : utilization(rates, traffic)
  return value === undefined ? undefined : { t: traffic.t, value }
}

function sumOf(rates: readonly (number | undefined)[]): number | undefined {
  return rates.reduce((sum, rate) => (sum === undefined || rate === undefined ? undefined : sum + rate), 0)
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

const OPERATIONS = Object.keys(LATENCY_IDS) as LatencyOperation[]

function histogramSeries(series: readonly Series[]): ReadonlyMap<LatencyOperation, readonly Series[]> {
  const latency = series.filter(({ measurement }) => measurement === MEASUREMENTS.latency.name)
  const groups = OPERATIONS.map(
    (operation) =>
      [operation, latency.filter(({ tags }) => tags.get('id') === LATENCY_IDS[operation])] as const,
  )
  return new Map(groups.filter(([, group]) => group.length > 0))
}

function latenciesOf(
  series: readonly Series[],
  bounds: ReadonlySet<string>,
): ReadonlyMap<LatencyOperation, LatencyHistogram> {
  const histograms = [...histogramSeries(series)].flatMap(
    ([operation, group]): [LatencyOperation, LatencyHistogram][] => {
      const histogram = latencyHistogram(group, bounds)
      return histogram === undefined ? [] : [[operation, histogram]]
    },
  )
  return new Map(histograms)
}

/** The reading without values that are older than this time, in seconds by the clock of the system. */
export function withoutOlderThan(reading: PerformanceReading, oldest: number): PerformanceReading {
  const isCurrent = ({ t }: { readonly t: number }) => t >= oldest
  const nodes = reading.nodes.map((node) => ({
    ...node,
    values: new Map([...node.values].filter(([, snapshot]) => isCurrent(snapshot))),
    errors: node.errors !== undefined && isCurrent(node.errors) ? node.errors : undefined,
    latencies: new Map([...node.latencies].filter(([, histogram]) => isCurrent(histogram))),
    interfaces: node.interfaces.filter(isCurrent),
  }))
  return { ...reading, nodes }
}

/** Time of the oldest value; undefined without values. */
export function oldestTime({ nodes }: PerformanceReading): number | undefined {
  let oldest = Number.POSITIVE_INFINITY
  for (const { values, errors, latencies, interfaces } of nodes) {
    for (const { t } of values.values()) oldest = Math.min(oldest, t)
    for (const { t } of latencies.values()) oldest = Math.min(oldest, t)
    for (const { t } of interfaces) oldest = Math.min(oldest, t)
    if (errors !== undefined) oldest = Math.min(oldest, errors.t)
  }
  return Number.isFinite(oldest) ? oldest : undefined
}
