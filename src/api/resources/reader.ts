import {
  OBJECT_KINDS,
  type ObjectKind,
  type ObjectName,
  type ResourceName,
  requestText,
} from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { createBucketReader } from './buckets.ts'
import { type ReadingContext, type ResourceReaderOptions, readObjects } from './context.ts'
import { createNamespaceReader, readQuotas } from './namespaces.ts'
import type { ResourceObject } from './objects.ts'
import { readQueried } from './queried.ts'
import { createReadingBuilder, type ReadingBuilder, type ResourceReading } from './reading.ts'
import { createRefusalMemory, isFailure, type RefusalMemory } from './refusals.ts'

type Read = (context: ReadingContext) => Promise<void>

/** Reads the resources of one system. Remembers what the system refuses, and what was selected. */
export function createResourceReader(options: ResourceReaderOptions) {
  const memory = createRefusalMemory(options.now)
  const kept = new Map<ObjectName, Kept>()
  const special: Partial<Record<ResourceName, Read>> = {
    namespaces: createNamespaceReader(options.filters),
    quotas: readQuotas,
    buckets: createBucketReader(options.filters),
  }
  return {
    /** @throws {ApiError} when no request of the resource is answered */
    async read(
      resource: ResourceName,
      signal: AbortSignal,
      { spreadMs = 0, keepMs = 0 }: ReadingTimes = {},
    ): Promise<ResourceReading> {
      const builder = createReadingBuilder(resource)
      // Each resource has its own refusals, because several send the same request.
      const refusals: RefusalMemory = { run: (request, task) => memory.run(`${resource} ${request}`, task) }
      const context = { ...options, refusals, builder, signal, spreadMs }
      await (special[resource] ?? readKinds(resource, kept, keepMs))(context)
      return builder.reading()
    },
  }
}

interface ReadingTimes {
  /** Over which many requests are spread, in milliseconds. */
  readonly spreadMs?: number
  /** How long the objects of a request are kept that fails while others are answered, in milliseconds. */
  readonly keepMs?: number
}

/** What the last answer to a request had. */
interface Kept {
  readonly objects: readonly ResourceObject[]
  readonly atMs: number
}

/**
 * One request for each kind of object, each on its own: one that fails takes nothing from the others, and its last objects
 * stay for a while. Those that the system does not serve, or not any more, are missing at once.
 */
function readKinds(resource: ResourceName, kept: Map<ObjectName, Kept>, keepMs: number): Read {
  const kinds = [...OBJECT_KINDS.values()].filter((kind) => kind.resource === resource)
  /** Whether the request succeeded. */
  async function addKind(kind: ObjectKind, context: ReadingContext): Promise<boolean> {
    const { builder, now } = context
    try {
      const objects = await readKind(kind, context)
      kept.set(kind.name, { objects, atMs: now() })
      addObjects(builder, kind, objects)
      return true
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      builder.miss(failure)
      const last = kept.get(kind.name)
      if (last !== undefined && isFailure(failure) && now() - last.atMs <= keepMs)
        addObjects(builder, kind, last.objects)
      return false
    }
  }

  return async (context) => {
    let isAnswered = false
    for (const kind of kinds) isAnswered = (await addKind(kind, context)) || isAnswered
    const { missing } = context.builder.reading()
    if (missing !== undefined && !isAnswered) throw missing
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
