import { ApiError } from '../api/errors/errors.ts'
import { pause } from '../api/http/waiting.ts'
import { isQueried } from '../api/query/merge.ts'
import { createResourceReader } from '../api/resources/reader.ts'
import type { ResourceReading } from '../api/resources/reading.ts'
import { isNotAvailable, withResourceRemedy } from '../api/resources/refusals.ts'
import type { ResourceReaderOptions } from '../api/resources/requests.ts'
import { renderNodesAgain } from '../state/changes.ts'
import { dropResource, withoutResources, withResource, withResourceFailure } from '../state/resources.ts'
import type { SystemState } from '../state/state.ts'
import { kindsOf, type ObjectKind, type ResourceName } from '../system_catalogue.ts'
import { pollPeriodMs } from '../values/schedule.ts'
import { createSource, leftMsOf, maxAgeMsOf, RETRY_MS, type ReadingContext, type Source } from './source.ts'

export type ResourcesOptions = ReadingContext & Pick<ResourceReaderOptions, 'maxSingle'>

/** Share of the interval over which many requests are spread, so that they end before the next reading. */
const SPREAD_SHARE = 0.8

/** The resources of one system: a source for each kind of object that has requests of its own. */
export type Resources = ReturnType<typeof createResources>

export function createResources(options: ResourcesOptions) {
  const { system, store } = options
  const isUsed = ({ resource }: ObjectKind) => system.resources[resource].schedule !== ''
  const kinds = kindsOf().filter(isUsed)
  const read = createRead(options)
  const changed = new Set<ObjectKind['name']>()
  let ofPools: ResourceReading | ApiError | undefined
  const sources = new Map<string, Source>(
    kinds.map((kind) => [kind.name, createKindSource({ ...options, kind, read: readKind, kept })]),
  )

  async function readKind(kind: ObjectKind, signal: AbortSignal): Promise<ResourceReading> {
    if (!kind.isListOfPools) return read(kind, signal, changed.delete(kind.name))
    if (ofPools === undefined) throw new RangeError('the pools were not listed')
    if (ofPools instanceof ApiError) throw ofPools
    return ofPools
  }

  /** What follows objects of which there are others is read anew, without spreading its requests over an interval. */
  function kept({ name }: ObjectKind, before: readonly (string | undefined)[]): void {
    if (String(before) === String(firstLabels(options, name))) return
    for (const follower of kinds.filter(({ after }) => after === name)) {
      changed.add(follower.name)
      sources.get(follower.name)?.makeDue()
    }
  }

  /** Resources of the Flux API stay due while the system is not queried, as the queries of performance do. */
  async function readWithFollowers(kind: ObjectKind, isSystemQueried: boolean | undefined): Promise<void> {
    if (kind.measurement !== undefined && isSystemQueried !== true) return
    const source = sources.get(kind.name)
    // The call that reads it reads its followers, too.
    if (source?.isRunning()) return
    await source?.readIfDue()
    const followers = kinds.filter(({ after }) => after === kind.name)
    await Promise.all(followers.map((follower) => readWithFollowers(follower, isSystemQueried)))
  }

  return {
    /** What the list of pools, which is read for the polls, says of them. */
    async notePools(outcome: ResourceReading | ApiError): Promise<void> {
      ofPools = outcome
      for (const kind of kinds) if (kind.isListOfPools) await sources.get(kind.name)?.read()
    },
    makeDue(name: ResourceName): void {
      for (const kind of kindsOf(name)) sources.get(kind.name)?.makeDue()
    },
    /** Reads what is due; what follows another kind, after that. */
    async readDue(): Promise<void> {
      const isSystemQueried = isQueried(system, store.system(system.name)?.pools)
      // As after an upgrade to a release whose dashboard API has the performance.
      if (isSystemQueried === false) store.update(system.name, withoutQueried)
      const isFirst = ({ after }: ObjectKind) => after === undefined || !sources.has(after)
      await Promise.all(kinds.filter(isFirst).map((kind) => readWithFollowers(kind, isSystemQueried)))
    },
    removeDisabled: (): void =>
      void store.update(system.name, (state) => withoutResources(state, (kind) => !isUsed(kind))),
    forget(): void {
      for (const source of sources.values()) source.forget()
    },
  }
}

const withoutQueried = (state: SystemState) =>
  withoutResources(state, ({ measurement }) => measurement !== undefined)

interface KindOptions extends ReadingContext {
  readonly kind: ObjectKind
  readonly read: (kind: ObjectKind, signal: AbortSignal) => Promise<ResourceReading>
  /** Called with the first labels of the objects before a reading. */
  readonly kept: (kind: ObjectKind, before: readonly (string | undefined)[]) => void
}

function createKindSource({ kind, read, kept, ...options }: KindOptions): Source {
  const { system, store, log } = options
  const { name, resource, isListOfPools = false } = kind
  const maxAgeMs = maxAgeMsOf(system, system.resources[resource].schedule)
  return createSource<ResourceReading>(
    {
      name: `the resource ${resource}`,
      read: (ofSource) => read(kind, ofSource),
      keep(reading) {
        const before = firstLabels(options, name)
        const at = Date.now() / 1000
        store.update(system.name, (state) => {
          const next = withResource(state, name, reading, at)
          return kind.isOfNodes ? renderNodesAgain(next) : next
        })
        log.resource(kind, undefined)
        log.rejected(undefined, reading.rejected)
        kept(kind, before)
      },
      fail(cause) {
        const failure = withResourceRemedy(cause, resource)
        // A list of pools that cannot be read is logged as the discovery of pools.
        const isLogged = isListOfPools && store.system(system.name)?.discoveryFailure !== undefined
        if (!isLogged) log.resource(kind, failure)
        store.update(system.name, (state) => withResourceFailure(state, name, failure, Date.now() / 1000))
      },
      drop: () => store.update(system.name, (state) => dropResource(state, name)),
      leftMs() {
        const { reading, lastSuccess } = store.system(system.name)?.resources.get(name) ?? {}
        return leftMsOf(reading && lastSuccess, maxAgeMs)
      },
      retryMs: (failure) => (isListOfPools || isNotAvailable(failure) ? undefined : RETRY_MS),
      isOnlyProbed: system.poll.schedule === '',
      isDue: !isListOfPools,
    },
    options,
  )
}

function firstLabels({ system, store }: ReadingContext, name: ObjectKind['name']): (string | undefined)[] {
  const objects = store.system(system.name)?.resources.get(name)?.reading?.objects ?? []
  return objects.map(({ labels }) => labels[0]).sort()
}

function createRead({ system, client, store, maxSingle }: ResourcesOptions) {
  const readingOf = (name: ObjectKind['name']) => store.system(system.name)?.resources.get(name)?.reading
  const reader = createResourceReader({
    resources: system.resources,
    send: client.resource,
    query: client.query,
    openDataPorts: client.openDataPorts,
    known: readingOf,
    ...(maxSingle !== undefined && { maxSingle }),
    pause,
    now: () => performance.now(),
  })
  return (kind: ObjectKind, signal: AbortSignal, isChanged: boolean): Promise<ResourceReading> => {
    const intervalMs = pollPeriodMs(system.resources[kind.resource].schedule)
    const isSpread = !isChanged && readingOf(kind.name) !== undefined
    return reader.read(kind, signal, isSpread ? intervalMs * SPREAD_SHARE : 0)
  }
}
