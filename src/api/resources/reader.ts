import { type ObjectKind, requestText } from '../../system_catalogue.ts'
import { createBucketReader } from './buckets.ts'
import { type ReadingContext, type ResourceReaderOptions, readObjects } from './context.ts'
import { readDataPorts } from './data_nodes.ts'
import { createNamespaceReader, readQuotas } from './namespaces.ts'
import type { ResourceObject } from './objects.ts'
import { readQueried } from './queried.ts'
import { createReadingBuilder, type ReadingBuilder, type ResourceReading } from './reading.ts'
import { createRefusalMemory, type RefusalMemory } from './refusals.ts'

type Read = (context: ReadingContext) => Promise<void>

/** Reads the resources of one system. Remembers what the system refuses, and what was selected. */
export function createResourceReader(options: ResourceReaderOptions) {
  const memory = createRefusalMemory(options.now)
  const readers: Readonly<Record<NonNullable<ObjectKind['reader']>, Read>> = {
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
      const builder = createReadingBuilder(kind.resource)
      // Each kind has its own refusals, because several send the same request.
      const refusals: RefusalMemory = { run: (request, task) => memory.run(`${kind.name} ${request}`, task) }
      const context = { ...options, refusals, builder, signal, spreadMs }
      if (kind.reader === undefined) addObjects(builder, kind, await readKind(kind, context))
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

/** Objects without a name are counted by their kind, but have no series. */
export function addObjects(
  builder: ReadingBuilder,
  kind: ObjectKind,
  objects: readonly ResourceObject[],
): void {
  const named = objects.filter(
    ({ id, labels: [name] }) => kind.count === undefined || (name ?? id) !== undefined,
  )
  const nameless = objects.length - named.length
  if (nameless > 0)
    builder.rejected.add({ attribute: kind.resource, reason: 'no_id', node: '', text: '' }, nameless)
  const shown = kind.maxTexts === undefined ? named : withFewTexts(named, kind.maxTexts)
  builder.add(shown)
  builder.leaveOut(named.length - shown.length)
}

function withFewTexts(objects: readonly ResourceObject[], max: number): ResourceObject[] {
  const textOf = ({ values }: ResourceObject) => values[0]?.text
  const texts = [...new Set(objects.map(textOf))].slice(0, max)
  return objects.filter((object) => texts.includes(textOf(object)))
}
