import { type ObjectKind, requestText } from '../../system_catalogue.ts'
import { createBucketReader } from './buckets.ts'
import { readDataPorts } from './data_nodes.ts'
import { createNamespaceReader, readQuotas } from './namespaces.ts'
import type { ResourceObject } from './objects.ts'
import { readQueried } from './queried.ts'
import { addObjects, createReadingBuilder, type ResourceReading } from './reading.ts'
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
