import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { type PoolRef, storagePoolId } from '../api/feed/pools.ts'
import { pause } from '../api/http/deadline.ts'
import { isQueried } from '../api/query/merge.ts'
import { decodeObjects, kindOf } from '../api/resources/objects.ts'
import { addObjects, createResourceReader } from '../api/resources/reader.ts'
import { createReadingBuilder, type ResourceReading } from '../api/resources/reading.ts'
import { isFailure, isNotAvailable, withResourceRemedy } from '../api/resources/refusals.ts'
import type { SystemConfig } from '../config/config.ts'
import { withdrawnResource, withoutResource, withResource, withResourceFailure } from '../state/resources.ts'
import type { StateStore } from '../state/store.ts'
import { createWithdrawal } from '../state/withdrawal.ts'
import { RESOURCE_NAMES, type ResourceName } from '../system_catalogue.ts'
import type { PollLog } from './log/poll_log.ts'
import { pollPeriodMs } from './period.ts'

export interface ResourcePollerOptions {
  readonly system: SystemConfig
  readonly client: Pick<SystemClient, 'resource' | 'pools' | 'query'>
  readonly store: StateStore
  readonly pollLog: PollLog
  /** Aborts when the system is no longer polled. */
  readonly signal: AbortSignal
}

/** Reads the resources of one system, each on its own, and none twice at a time. */
export type ResourcePoller = ReturnType<typeof createResourcePoller>

export function createResourcePoller(options: ResourcePollerOptions) {
  const { system, client, store } = options
  const { schedules } = system.resources
  const resources = () => store.system(system.name)?.resources
  const reader = createResourceReader({
    filters: system.resources,
    send: client.resource,
    query: client.query,
    /** Those whose usage is exported; undefined while that is not known. */
    namespaces: () =>
      resources()
        ?.get('namespaces')
        ?.reading?.objects.map(({ labels }) => labels[0] ?? ''),
    pause,
    now: () => performance.now(),
  })
  const readPools: Read = (signal) => readPoolFigures(client, signal)
  const used = RESOURCE_NAMES.filter((name) => schedules[name] !== '')
  const readings = new Map(
    used.map((name) => {
      const keepMs = keptMs(system, name)
      const read: Read = (signal, spreadMs) => reader.read(name, signal, { spreadMs, keepMs })
      return [name, createReading({ ...options, name, read: name === 'pools' ? readPools : read })]
    }),
  )

  /** It stays due while the system is not queried, as the performance queries do. */
  async function readQueries(): Promise<void> {
    const isRead = isQueried(system, store.system(system.name)?.pools)
    if (isRead === true) await readings.get('system_queries')?.readIfDue()
    // As after an upgrade to a release whose feed has the performance figures.
    else if (isRead === false && resources()?.has('system_queries') === true)
      await store.update(system.name, (state) => withoutResource(state, 'system_queries'))
  }

  return {
    /** The list of pools for the discovery, whose response also has the resource `pools`. */
    async listPools(signal: AbortSignal): Promise<readonly PoolRef[]> {
      const { pools, figures } = await listPools(client, signal).catch(async (failure: unknown) => {
        if (failure instanceof ApiError && !signal.aborted) await readings.get('pools')?.note(failure)
        throw failure
      })
      await readings.get('pools')?.note(figures)
      return pools
    },
    makeDue: (name: ResourceName): void => readings.get(name)?.makeDue(),
    async readDue(): Promise<void> {
      const replication = readings.get('replication')?.readIfDue()
      const others = [...readings].filter(([name]) => name !== 'replication' && name !== 'system_queries')
      const all = [replication, ...others.map(([, reading]) => reading.readIfDue())]
      // The lags have the names of the replication groups.
      await Promise.all([...all, Promise.resolve(replication).then(readQueries)])
    },
    /** Forgets what a reload turned off. */
    async removeDisabled(): Promise<void> {
      for (const name of RESOURCE_NAMES.filter((name) => schedules[name] === ''))
        await store.update(system.name, (state) => withoutResource(state, name))
    },
    /** Withdraws nothing any more. */
    end(): void {
      for (const reading of readings.values()) reading.end()
    },
  }
}

async function listPools(client: Pick<SystemClient, 'pools'>, signal: AbortSignal) {
  const kind = kindOf('pool')
  let figures: ResourceReading | ApiError | undefined
  const pools = await client.pools(signal, (body, { baseUrl, now }) => {
    const builder = createReadingBuilder('pools')
    const idOf = (entry: Parameters<typeof storagePoolId>[0]) => storagePoolId(entry, baseUrl)
    try {
      addObjects(builder, kind, decodeObjects(body, kind, { ...builder, now, idOf }))
      figures = builder.reading()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      figures = failure
    }
  })
  return { pools, figures: figures ?? new ApiError('not_found', 'the list of pools has no figures of them') }
}

/** The resource `pools`. @throws {ApiError} */
export async function readPoolFigures(
  client: Pick<SystemClient, 'pools'>,
  signal: AbortSignal,
): Promise<ResourceReading> {
  const { figures } = await listPools(client, signal)
  if (figures instanceof ApiError) throw figures
  return figures
}

type Read = (signal: AbortSignal, spreadMs: number) => Promise<ResourceReading>

interface ReadingOptions extends ResourcePollerOptions {
  readonly name: ResourceName
  readonly read: Read
}

/** Values are withdrawn after so many intervals without a success. */
const INTERVALS_KEPT = 3
/** After a failure that may be over by then; the schedule may come earlier. */
const RETRY_MS = 600_000
/** Of the interval, over which many requests are spread, so that they end before the next reading. */
const SPREAD_SHARE = 0.8

function createReading(options: ReadingOptions) {
  const { name, read, system, store, pollLog, signal } = options
  const intervalMs = pollPeriodMs(system.resources.schedules[name])
  const withdrawal = withdrawalOf(options)
  const isOfDiscovery = name === 'pools' && system.pools === undefined
  let dueAt = isOfDiscovery ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  let busy = false

  async function fail(cause: ApiError): Promise<void> {
    const failure = withResourceRemedy(cause, name)
    if (!isNotAvailable(failure) && !isOfDiscovery) dueAt = performance.now() + RETRY_MS
    pollLog.resource(name, failure)
    await store.update(system.name, (state) => withResourceFailure(state, name, failure, Date.now() / 1000))
  }

  const note = (outcome: ResourceReading | ApiError): Promise<void> =>
    outcome instanceof ApiError ? fail(outcome) : keep(outcome).catch(failKnown)

  async function failKnown(failure: unknown): Promise<void> {
    if (!(failure instanceof ApiError)) throw failure
    await fail(failure)
  }

  async function keep(reading: ResourceReading): Promise<void> {
    const at = Date.now() / 1000
    const { maxResponseBytes } = system.limits
    await store.update(system.name, (state) => withResource(state, name, reading, at, maxResponseBytes))
    withdrawal.after()
    pollLog.resource(name, undefined)
    if (isFailure(reading.missing) && !isOfDiscovery) dueAt = performance.now() + RETRY_MS
    pollLog.resourcePart(name, reading.missing)
    pollLog.rejected(undefined, reading.rejected)
  }

  async function readNow(): Promise<void> {
    dueAt = Number.POSITIVE_INFINITY
    try {
      const isKnown = store.system(system.name)?.resources.get(name)?.reading !== undefined
      await note(await read(signal, isKnown ? intervalMs * SPREAD_SHARE : 0))
    } catch (failure) {
      if (!signal.aborted) await failKnown(failure)
    }
  }

  return {
    makeDue(): void {
      dueAt = Number.NEGATIVE_INFINITY
    },
    async readIfDue(): Promise<void> {
      if (busy || signal.aborted || performance.now() < dueAt) return
      busy = true
      await readNow().finally(() => {
        busy = false
      })
    },
    note,
    end: withdrawal.end,
  }
}

/** How long values are kept without a success, in milliseconds. */
function keptMs({ poll, resources }: SystemConfig, name: ResourceName): number {
  return Math.max(INTERVALS_KEPT * pollPeriodMs(resources.schedules[name]), poll.staleAfterMs)
}

function withdrawalOf({ name, system, store, pollLog }: ReadingOptions) {
  return createWithdrawal({
    staleAfterMs: keptMs(system, name),
    inherited: store.system(system.name)?.resources.get(name)?.lastSuccess,
    withdraw: () => store.update(system.name, (state) => withdrawnResource(state, name)),
    failed: (failure) => pollLog.internalError('withdrawing old values', failure),
  })
}
