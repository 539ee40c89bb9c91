import { UNITS } from '../../../catalogue.ts'
import {
  MEASUREMENTS,
  QUERY_ATTRIBUTES,
  type QueryAttributeName,
  type QuerySource as Source,
} from '../../../query_catalogue.ts'
import { largest } from '../../../values/largest.ts'
import type { Snapshot } from '../../feed/snapshots.ts'
import { inRange, type Rejection } from '../../parse/json.ts'
import type { FieldSeries } from '../answers/answer.ts'
import { atCommonTime, newestPoint, sumOfIncreases } from '../answers/rates.ts'
import { type NetworkTraffic, sumIfAllKnown } from './interfaces.ts'

/** What the values of a node are calculated from. */
export interface NodeFacts {
  readonly byField: ReadonlyMap<string, readonly FieldSeries[]>
  readonly traffic: NetworkTraffic | undefined
  /** Fields whose query failed: a sum without one of them would be too small. */
  readonly failedFields: ReadonlySet<string>
  /** Called for a value that is not plausible. */
  readonly reject: (attribute: QueryAttributeName, reason: Rejection, text: string) => void
}

/** The attributes of one node, each in its own unit; absent ones are missing. */
export function attributeValues(facts: NodeFacts): ReadonlyMap<QueryAttributeName, Required<Snapshot>> {
  const values = new Map<QueryAttributeName, Required<Snapshot>>()
  for (const { name, source } of QUERY_ATTRIBUTES) {
    const found = snapshotOf(source, facts)
    if (found === undefined) continue
    const read = inRange(found.value, UNITS[source.unit])
    if (read.state === 'unreadable') facts.reject(name, read.rejection, read.text)
    if (read.state === 'served') values.set(name, { ...found, unit: source.unit })
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
