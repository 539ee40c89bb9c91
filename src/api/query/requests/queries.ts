import {
  DISK_FIELDS,
  DISK_IO,
  ERROR_CODE_FIELD,
  LATENCY_IDS,
  MEASUREMENTS,
  type MeasurementName,
  NETWORK_FIELDS,
  QUERY_ATTRIBUTES,
  type Subject,
} from '../../../query_catalogue.ts'
import type { ObjectKind, ResourceName } from '../../../system_catalogue.ts'
import type { FieldSeries } from '../answers/answer.ts'

/** Rows that a query selects: conditions that all hold. */
interface Selection {
  readonly measurement?: MeasurementName
  /** One of these; any, if undefined. */
  readonly fields?: readonly string[]
  readonly tags?: Readonly<Record<string, string>>
}

/** A query of the recommended set. */
export interface Query {
  /** In metrics and log lines. */
  readonly name: `query_${string}`
  readonly bucket: string
  /** One of these. */
  readonly selections: readonly Selection[]
  /** Whether one point is enough: the values are no counters. */
  readonly isGauge: boolean
  /** Tags of which the answer needs a column. */
  readonly tags: readonly string[]
  /** What is sent instead if the system refuses this query or the answer is too large. */
  readonly parts: readonly Query[]
  /** The resource that it is of; undefined: performance of nodes. */
  readonly resource?: ResourceName
  /** Instead of the last minutes: all points of a range in the past. */
  readonly range?: TimeRange
}

/** In seconds since the epoch: `start` belongs to the range, `stop` does not. */
export interface TimeRange {
  readonly start: number
  readonly stop: number
}

const gauge = (
  name: Query['name'],
  measurement: MeasurementName,
  rest: Omit<Selection, 'measurement'>,
): Query => {
  const { bucket } = MEASUREMENTS[measurement]
  return { name, bucket, selections: [{ measurement, ...rest }], isGauge: true, tags: [], parts: [] }
}

const counters = (
  name: Query['name'],
  selections: readonly Selection[],
  parts: readonly Query[] = [],
): Query => {
  const [first] = selections
  const { bucket, tags } = first?.measurement === undefined ? DISK_IO : MEASUREMENTS[first.measurement]
  return { name, bucket, selections, isGauge: false, tags, parts }
}

const NETWORK = Object.values(NETWORK_FIELDS)
const networkQuery = counters(
  'query_network',
  [{ measurement: 'network', fields: NETWORK }],
  NETWORK.map((field) => counters(`query_network_${field}`, [{ measurement: 'network', fields: [field] }])),
)

const diskSelections = (fields: readonly string[]): Selection[] =>
  fields.map((field) => ({ fields: [field] }))
const diskQuery = (direction: 'read' | 'write'): Query =>
  counters(
    `query_disk_${direction}`,
    diskSelections(DISK_FIELDS[direction]),
    DISK_FIELDS[direction].map((field) => counters(`query_disk_${field}`, diskSelections([field]))),
  )
const diskQueries = [diskQuery('read'), diskQuery('write')]
const allDiskQuery = counters(
  'query_disk',
  diskQueries.flatMap(({ selections }) => selections),
  diskQueries,
)

const TRAFFIC = ['transactions', 'throughput', 'errors'] as const
const trafficQuery = counters(
  'query_traffic',
  TRAFFIC.map((measurement) => ({ measurement })),
  TRAFFIC.map((measurement) => counters(`query_${measurement}`, [{ measurement }])),
)
const trafficAndDiskQuery = counters(
  'query_traffic_disk',
  [...trafficQuery.selections, ...allDiskQuery.selections],
  [trafficQuery, allDiskQuery],
)

/** For reads and writes separately: the answer for 640 nodes would exceed 7 MB. */
const latencyQueries = Object.entries(LATENCY_IDS).map(([operation, id]) =>
  counters(`query_latency_${operation}`, [{ measurement: 'latency', tags: { id } }]),
)

const gaugeFields = (measurement: MeasurementName) =>
  QUERY_ATTRIBUTES.flatMap(({ source }) =>
    source.kind === 'gauge' && source.measurement === measurement ? source.fields : [],
  )

/** The queries of one poll. The first one is also the probe of whether there is a Flux API. */
export const QUERIES: readonly Query[] = [
  gauge('query_cpu', 'cpu', { fields: gaugeFields('cpu'), tags: { cpu: 'cpu-total' } }),
  gauge('query_memory', 'memory', { fields: gaugeFields('memory') }),
  networkQuery,
  trafficAndDiskQuery,
  ...latencyQueries,
  counters('query_error_codes', [{ measurement: 'errorCodes', fields: [ERROR_CODE_FIELD] }]),
]

/** The query of a resource: the newest points of the fields of a measurement. */
export function systemQuery({ name, resource, measurement, columns }: ObjectKind): Query {
  if (measurement === undefined) throw new RangeError(`${name} is no measurement`)
  const fields = [...new Set(columns.flatMap(({ members }) => members))]
  return { ...gauge(`query_${measurement}`, measurement, { fields }), resource }
}

/** The queries that have no parts. */
export const SINGLE_QUERIES: readonly Query[] = QUERIES.flatMap(partsOf)

function partsOf(query: Query): readonly Query[] {
  return query.parts.length === 0 ? [query] : query.parts.flatMap(partsOf)
}

/** What a system supports. */
export interface Dialect {
  /** Whether only `last()` is right: ranges have wrong values in 3.7 and 3.8.0. */
  readonly lastOnly: boolean
  /** How far back a query reaches that has no range. */
  readonly windowSeconds: number
}

/**
 * The text of a query. Only `from`, `range`, `filter`, `last`, `drop` and `keep` are allowed outside of the system. The
 * last two are not used: without a column that is not known here, two series could become one.
 */
export function queryText(query: Query, { lastOnly, windowSeconds }: Dialect): string {
  const isLast = query.range === undefined && (query.isGauge || lastOnly)
  return [
    `from(bucket: ${JSON.stringify(query.bucket)})`,
    rangeText(query, windowSeconds),
    `filter(fn: (r) => ${anyOf(query.selections.map(selectionText))})`,
    ...(isLast ? ['last()'] : []),
  ].join(' |> ')
}

function rangeText({ range }: Query, windowSeconds: number): string {
  if (range === undefined) return `range(start: -${Math.ceil(windowSeconds / 60)}m)`
  const time = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  return `range(start: ${time(range.start)}, stop: ${time(range.stop)})`
}

function selectionText({ measurement, fields, tags = {} }: Selection): string {
  const conditions = [
    ...(measurement === undefined ? [] : [equals('_measurement', MEASUREMENTS[measurement].name)]),
    ...Object.entries(tags).map(([tag, value]) => equals(tag, value)),
    ...(fields === undefined ? [] : [anyOf(fields.map((field) => equals('_field', field)))]),
  ]
  const [only] = conditions
  if (conditions.length === 1 && only !== undefined) return only
  return conditions.map((text) => (text.includes(' or ') ? `(${text})` : text)).join(' and ')
}

function equals(column: string, value: string): string {
  return `r.${column} == ${JSON.stringify(value)}`
}

/** `and` binds stronger than `or`. */
function anyOf(conditions: readonly string[]): string {
  return conditions.join(' or ')
}

/**
 * The tags without which the rows of an answer cannot be told apart. A query with parts also needs the name of the
 * process, which gets lost if the system combines different columns.
 */
export function requiredTags({ tags, parts }: Query): readonly string[] {
  return parts.length > 0 ? tags : tags.filter((tag) => tag !== 'process')
}

export function fieldsOf({ selections }: Query): readonly string[] {
  return selections.flatMap(({ fields }) => fields ?? [])
}

const SUBJECTS = new Map<string, Subject | undefined>(
  Object.values(MEASUREMENTS).map((row) => [row.name, 'subject' in row ? row.subject : undefined]),
)

/** What the values of a measurement are about. */
export function subjectOf({ measurement }: Pick<FieldSeries, 'measurement'>): Subject {
  return SUBJECTS.get(measurement) ?? 'disk I/O'
}

/** The subjects whose values need the answer to a query. */
export function subjectsOf({ selections }: Pick<Query, 'selections'>): ReadonlySet<Subject> {
  const names = selections.map(({ measurement }) => (measurement ? MEASUREMENTS[measurement].name : ''))
  return new Set(names.map((measurement) => subjectOf({ measurement })))
}
