import type { ObjectKind } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import type { JsonObject } from '../parse/json.ts'
import { isReadable, type QueryAnswer } from '../query/answers/answer.ts'
import { type Dialect, systemQuery } from '../query/requests/queries.ts'
import type { ReadingContext } from './context.ts'
import { decodeListed, type ResourceObject } from './objects.ts'

/** Points of other measurements than those of nodes may come every 25 minutes. */
const DIALECT: Dialect = { lastOnly: true, windowSeconds: 1800 }

/**
 * The objects of a measurement of the query interface, with their newest values.
 * @throws {ApiError} `not_found` also for a query that the system refuses
 */
export async function readQueried(kind: ObjectKind, context: ReadingContext): Promise<ResourceObject[]> {
  const { query, builder } = context
  const answer = await query(systemQuery(kind), DIALECT, context.signal).catch(asNotServed)
  for (const { times, ...value } of answer.rejected)
    builder.rejected.add({ ...value, attribute: kind.resource }, times)
  const now = answer.stop ?? 0
  return decodeListed(entriesOf(answer, kind), kind, { ...builder, now })
}

/** In the words of a service whose store lacks what is queried. */
const MISSING = /could not find bucket/

function asNotServed(failure: unknown): never {
  if (!(failure instanceof ApiError)) throw failure
  if (failure.reason !== 'client_error' && !MISSING.test(failure.detail)) throw failure
  throw failure.with({ reason: 'not_found' })
}

/**
 * An entry for each combination of the labels, with fields and labels as members. Of several series of a field, such as
 * those of processes, the largest value counts.
 */
function entriesOf({ series }: QueryAnswer, { labels }: ObjectKind): JsonObject[] {
  const entries = new Map<string, Map<string, string | number>>()
  for (const { field, tags, points } of series.values()) {
    const point = points.at(-1)
    if (point === undefined || !isReadable(point)) continue
    const named = Object.values(labels).flatMap((tag): [string, string][] => {
      const text = tags.get(tag)
      return text === undefined ? [] : [[tag, text]]
    })
    const key = JSON.stringify(named)
    const entry = entries.get(key) ?? new Map<string, string | number>(named)
    const other = entry.get(field)
    entry.set(field, typeof other === 'number' ? Math.max(other, point.value) : point.value)
    entries.set(key, entry)
  }
  return [...entries.values()].map((entry) => Object.fromEntries(entry))
}
