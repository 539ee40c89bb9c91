import { OBJECT_KINDS, type ObjectKind, type ResourceName, requestText } from '../../system_catalogue.ts'
import type { ApiError } from '../errors/errors.ts'
import { createBucketReader } from './buckets.ts'
import { type ReadingContext, type ResourceReaderOptions, readObjects } from './context.ts'
import { createNamespaceReader, readQuotas } from './namespaces.ts'
import type { ResourceObject } from './objects.ts'
import { readQueried } from './queried.ts'
import { createReadingBuilder, type ReadingBuilder, type ResourceReading } from './reading.ts'
import { createRefusalMemory, isNotAvailable, type RefusalMemory } from './refusals.ts'

type Read = (context: ReadingContext) => Promise<void>

/** Reads the resources of one system. Remembers what the system refuses, and what was selected. */
export function createResourceReader(options: ResourceReaderOptions) {
  const memory = createRefusalMemory(options.now)
  const special: Partial<Record<ResourceName, Read>> = {
    namespaces: createNamespaceReader(options.filters),
    quotas: readQuotas,
    buckets: createBucketReader(options.filters),
  }
  return {
    /**
     * @param spreadMs time over which many requests are spread
     * @throws {ApiError} when no request of the resource is answered, or one fails for another reason
     */
    async read(resource: ResourceName, signal: AbortSignal, spreadMs: number = 0): Promise<ResourceReading> {
      const builder = createReadingBuilder(resource)
      // Each resource has its own refusals, because several send the same request.
      const refusals: RefusalMemory = { run: (request, task) => memory.run(`${resource} ${request}`, task) }
      const context = { ...options, refusals, builder, signal, spreadMs }
      await (special[resource] ?? readKinds(resource))(context)
      return builder.reading()
    },
  }
}

/** One request for each kind of object. Kinds that the system does not serve are missing, while others are served. */
function readKinds(resource: ResourceName): Read {
  const kinds = [...OBJECT_KINDS.values()].filter((kind) => kind.resource === resource)
  return async (context) => {
    let answered = 0
    let missing: ApiError | undefined
    for (const kind of kinds) {
      try {
        addObjects(context.builder, kind, await readKind(kind, context))
        answered += 1
      } catch (failure) {
        if (!isNotAvailable(failure)) throw failure
        missing ??= failure
      }
    }
    if (missing === undefined) return
    if (answered === 0) throw missing
    context.builder.miss(missing)
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
  const shown = kind.name === 'node' ? withFewVersions(named) : named
  builder.add(shown)
  builder.leaveOut(named.length - shown.length)
}

const MAX_VERSIONS = 20

function withFewVersions(objects: readonly ResourceObject[]): ResourceObject[] {
  const versionOf = ({ values }: ResourceObject) => values[0]?.text
  const versions = [...new Set(objects.map(versionOf))].slice(0, MAX_VERSIONS)
  return objects.filter((object) => versions.includes(versionOf(object)))
}
