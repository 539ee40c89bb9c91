import type { RejectedValue } from '../api/feed/rejected_values.ts'
import type { Rejection } from '../api/parse/reads.ts'
import { QUERIES, type Query } from '../api/query/requests/queries.ts'
import { COVERAGE_ATTRIBUTES, FORECAST, TRANSACTION_ERRORS } from '../catalogue.ts'
import { STATE } from '../metrics/families.ts'
import { labelText, type Part, renderPart, type SampleSet } from '../metrics/lines.ts'
import type { ResourceName } from '../system_catalogue.ts'

/** The rejected values of one system. A value: replaced as a whole, never edited. */
export interface Rejections {
  readonly system: string
  /** By the text of the labels. */
  readonly counts: ReadonlyMap<string, number>
  /** The lines; rendered here, because there are many and they rarely change. */
  readonly part: Part
}

const OF_ANY_VALUE: readonly Rejection[] = ['text', 'infinite', 'negative', 'range', 'shape', 'time']
const OF_LISTS: readonly Rejection[] = [...OF_ANY_VALUE, 'duplicate', 'too_many']
const LISTS: readonly string[] = [TRANSACTION_ERRORS.name, FORECAST.name]

type Kind = Pick<RejectedValue, 'attribute' | 'reason'>

/** Every rejection of the feed that can occur. Their counters start at 0, so that the first one is an increase. */
const OF_FEED: readonly Kind[] = [
  ...(['no_id', 'duplicate', 'too_many'] as const).map((reason) => ({ attribute: 'id', reason })),
  ...COVERAGE_ATTRIBUTES.flatMap((attribute) =>
    (LISTS.includes(attribute) ? OF_LISTS : OF_ANY_VALUE).map((reason) => ({ attribute, reason })),
  ),
]

const withParts = (query: Query): Query[] => [query, ...query.parts.flatMap(withParts)]
/** Those of the query interface: rows of a query, under its name. */
const OF_QUERIES: readonly Kind[] = QUERIES.flatMap(withParts).flatMap(({ name }) =>
  OF_ANY_VALUE.map((reason) => ({ attribute: name, reason })),
)

export function newRejections(system: string): Rejections {
  return counted({ system, counts: new Map(), part: renderPart(new Map()) }, zero(OF_FEED))
}

/** With the counters of the query interface, which start when the system is first queried. */
export function withQueryRejections(rejections: Rejections): Rejections {
  return counted(rejections, zero(OF_QUERIES))
}

const OF_RESOURCES: readonly Rejection[] = [...OF_ANY_VALUE, 'no_id', 'duplicate']

/** With the counters of a resource, which start when it is first read. */
export function withResourceRejections(rejections: Rejections, attribute: ResourceName): Rejections {
  return counted(rejections, zero(OF_RESOURCES.map((reason) => ({ attribute, reason }))))
}

/** With the rejected values of one more response. */
export function counted(
  rejections: Rejections,
  values: readonly Pick<RejectedValue, keyof Kind | 'times'>[],
): Rejections {
  if (values.length === 0) return rejections
  const { system } = rejections
  const counts = new Map(rejections.counts)
  for (const value of values) {
    const labels = labelText({ system, attribute: value.attribute, reason: value.reason })
    counts.set(labels, (counts.get(labels) ?? 0) + value.times)
  }
  return { system, counts, part: render(counts) }
}

function zero(kinds: readonly Kind[]) {
  return kinds.map((kind) => ({ ...kind, times: 0 }))
}

function render(counts: ReadonlyMap<string, number>): Part {
  const samples: SampleSet = new Map([
    [STATE.rejectedValues.name, [...counts].map(([labels, value]) => ({ labels, value }))],
  ])
  return renderPart(samples)
}
