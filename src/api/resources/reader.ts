import { type ObjectKind, requestText } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import type { JsonObject } from '../parse/json.ts'
import { isReadable, type Point, type QueryAnswer } from '../query/answers/answer.ts'
import { type Dialect, systemQuery } from '../query/requests/queries.ts'
import { readDataPorts } from './data_nodes.ts'
import { createBucketReader, createNamespaceReader, readQuotas } from './namespaces.ts'
import { decodeListed, type ResourceObject } from './objects.ts'
import { createReadingBuilder, type ResourceReading } from './reading.ts'
import { createRefusalMemory, type RefusalMemory } from './refusals.ts'
import { type ReadingContext, type ResourceReaderOptions, readObjects } from './requests.ts'

type ReadObjects = (context: ReadingContext) => Promise<void>

/** Reads the resources of one system. Remembers what the system refuses, and what was selected. */
export function createResourceReader(options: ResourceReaderOptions) {
  const memory = createRefusalMemory(options.now)
  const readers: Readonly<Record<NonNullable<ObjectKind['reader']>, ReadObjects>> = {
    namespaces: createNamespaceReader(options.resources),
    quotas: readQuotas,
    buckets: createBucketReader(options.resources),
    dataPorts: readDataPorts,
  }
  return {
    /**
     * The objects of a kind, and those that are part of them.
     * @param spreadMs time over which many requests are spread
     * @throws {ApiError}
     */
    async read(kind: ObjectKind, signal: AbortSignal, spreadMs: number = 0): Promise<ResourceReading> {
      const builder = createReadingBuilder(kind)
      // Each kind has its own refusals, because several send the same request.
      const refusals: RefusalMemory = { run: (request, task) => memory.run(`${kind.name} ${request}`, task) }
      const context = { ...options, refusals, builder, signal, spreadMs }
      if (kind.reader === undefined) builder.add(await readKind(kind, context))
      else await readers[kind.reader](context)
      return builder.reading()
    },
  }
}

function readKind(kind: ObjectKind, context: ReadingContext): Promise<ResourceObject[]> {
  return context.refusals.run(requestText(kind), () =>
    kind.measurement === undefined ? readObjects(context, kind) : readQueried(kind, context),
  )
}

/** Points of other measurements than those of nodes may come every 25 minutes. */
const DIALECT: Dialect = { lastOnly: true, windowSeconds: 1800 }

/**
 * The objects of a measurement of the Flux API, with their newest values.
 * @throws {ApiError} `not_found` also for a query that the system refuses
 */
async function readQueried(kind: ObjectKind, context: ReadingContext): Promise<ResourceObject[]> {
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
 * those of processes, the newest value counts; of one time the largest.
 */
function entriesOf({ series }: QueryAnswer, { labels }: ObjectKind): JsonObject[] {
  const entries = new Map<string, { readonly named: JsonObject; readonly points: Map<string, Point> }>()
  for (const { field, tags, points } of series.values()) {
    const point = points.at(-1)
    if (point === undefined) continue
    const named = Object.fromEntries(
      Object.values(labels).flatMap((tag) => {
        const text = tags.get(tag)
        return text === undefined ? [] : [[tag, withoutTag(text, tag)]]
      }),
    )
    const key = JSON.stringify(named)
    const entry = entries.get(key) ?? { named, points: new Map() }
    entries.set(key, entry)
    const other = entry.points.get(field)
    if (other === undefined || isNewer(point, other)) entry.points.set(field, point)
  }
  return [...entries.values()].flatMap(({ named, points }) => {
    const readable = [...points].filter(([, point]) => isReadable(point))
    const values = Object.fromEntries(readable.map(([field, { value }]) => [field, value]))
    return readable.length === 0 ? [] : [{ ...named, ...values }]
  })
}

/** Ids of replication groups are served with and without their kind, with and without a blank. */
function withoutTag(text: string, tag: string): string {
  return text.startsWith(`${tag}:`) ? text.slice(tag.length + 1).trimStart() : text
}

/** Newer than another point, or of the same time and larger or the only one that could be read. */
function isNewer(point: Point, other: Point): boolean {
  return point.t > other.t || (point.t === other.t && !(point.value <= other.value) && isReadable(point))
}
