import type { ApiError } from '../api/errors/errors.ts'
import { REJECTIONS, type RejectedValue } from '../api/parse/json.ts'
import type { PoolRef } from '../api/resources/pool_list.ts'
import { isNotAvailable } from '../api/resources/refusals.ts'
import type { Fields, Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import type { SystemState } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { type ObjectKind, RESOURCE_NAMES, requestText } from '../system_catalogue.ts'
import { namesText } from '../text.ts'
import { BoundedMap } from '../values/cache.ts'

/** What the line of a poll has besides its outcome. */
export interface PollSize {
  readonly seconds: number
  readonly nodes: number | undefined
}

/** Logs each change once, so that a fault that lasts does not fill the log; counts polls of the Flux API. */
export type ReadingLog = ReturnType<typeof createReadingLog>

interface ReadingLogOptions {
  readonly log: Log
  readonly own: OwnMetrics
  /** For the names of pools. */
  readonly store: Pick<StateStore, 'system'>
  readonly system: string
}

export function createReadingLog({ log, own, store, system }: ReadingLogOptions) {
  const placeOf = (poolId: string | undefined) => ({ system, ...poolFields(store.system(system), poolId) })
  const changes = createChangeLog(log, placeOf)
  const known = new BoundedMap<string, true>(MAX_KEYS)
  const isNew = (key: string): boolean => {
    const isKnown = known.get(key) === true
    known.set(key, true)
    return !isKnown
  }
  const parts = { log, own, system, changes, isNew }

  return {
    polled(
      poolId: string,
      { failure, ...poll }: PollSize & { readonly failure: ApiError | undefined },
    ): void {
      logPoll(log, 'poll', poll, () => ({ ...placeOf(poolId), outcome: failure?.reason ?? 'ok' }))
      changes.note('poll', poolId, failure)
    },
    /** Logs a failure of something else, and its end. */
    note: changes.note,
    /** A deviation of the system that a reader of its history noticed. */
    historyNotice(poolId: string, text: string): void {
      if (isNew(`history ${text}`)) log.info(`history: ${text}`, placeOf(poolId))
    },
    /** A refusal is no failure: not every release has every resource. Each request of a resource has lines of its own. */
    resource(kind: ObjectKind, failure: ApiError | undefined): void {
      const { name, resource } = kind
      const request = requestText(kind)
      const isRefused = isNotAvailable(failure)
      changes.note(`resource ${resource}: ${request}`, undefined, isRefused ? undefined : failure)
      if (!isRefused || !isNew(`resource ${name} ${failure.reason}`)) return
      const { reason, message: error } = failure
      log.info('a resource is not available', { system, resource, request, reason, error })
    },
    /** Logs which pools are new in the list, and which are gone. */
    pools(before: readonly string[], now: readonly PoolRef[]): void {
      const state = store.system(system)
      const [old, current] = [new Set(before), new Set(now.map(({ id }) => id))]
      const added = now.filter(({ id }) => !old.has(id)).map(({ id, name }) => poolText(state, id, name))
      const left = before.filter((id) => !current.has(id)).map((id) => poolText(state, id))
      if (added.length === 0 && left.length === 0) return
      log.info('polling pools', { system, pools: now.length, appeared: listed(added), left: listed(left) })
    },
    /** @param poolId undefined for values of the Flux API and of resources */
    rejected(poolId: string | undefined, values: readonly RejectedValue[]): void {
      for (const { attribute, reason, node, text: value } of values) {
        // Pools of one system mostly have the same faulty values: one line for all of them.
        if (!isNew(`${attribute} ${reason}`)) continue
        const ofSystem = RESOURCE_NAMES.some((name) => name === attribute) ? 'resources' : 'Flux API'
        const source = poolId === undefined ? ofSystem : 'dashboard API'
        const fields = { node, attribute, reason, why: REJECTIONS[reason], value }
        log.warn(`a value of the ${source} was not exported`, { ...placeOf(poolId), ...fields })
      }
    },
    ...createQueryLog(parts),
    internalError(what: string, failure: unknown): void {
      const fields = { system, what, error: String(failure) }
      if (isNew(`${what} ${fields.error}`)) log.error('internal error: please report this', fields)
    },
    /** The pool is gone: removes its failures. */
    forget: changes.forget,
  }
}

interface QueryLogParts extends Omit<ReadingLogOptions, 'store'> {
  readonly changes: ReturnType<typeof createChangeLog>
  /** Whether this is the first line with the key. */
  readonly isNew: (key: string) => boolean
}

function createQueryLog({ log, own, system, changes, isNew }: QueryLogParts) {
  return {
    /** A poll of the Flux API; `empty`: it has no current data. */
    queried(outcome: 'ok' | 'empty' | ApiError, poll: PollSize): void {
      const failure = typeof outcome === 'string' ? undefined : outcome
      const result = typeof outcome === 'string' ? outcome : outcome.reason
      own.queryPoll(system, result)
      logPoll(log, 'poll of the Flux API', poll, () => ({ system, outcome: result }))
      changes.note('Flux API', undefined, failure)
      if (outcome === 'empty' && isNew('empty')) log.info('the Flux API has no current data', { system })
    },
    queryFailed(query: string, { reason, message: error }: ApiError): void {
      if (!isNew(`query ${query} ${reason}`)) return
      log.warn('a query failed: there are no new values of it', { system, query, reason, error })
    },
    /** One query has no data while others have. */
    queryEmpty(query: string): void {
      if (isNew(`query ${query} empty`)) log.info('a query has no data', { system, query })
    },
    /** Rows of nodes that are in no feed. */
    unmatched(rows: number): void {
      own.unmatchedRows(system, rows)
      if (rows > 0 && isNew('unmatched'))
        log.warn('rows of the Flux API are of nodes that no polled pool has', { system, rows })
    },
  }
}

function logPoll(log: Log, message: string, { seconds, nodes }: PollSize, fields: () => Fields): void {
  log.debug(message, () => ({ ...fields(), nodes, duration_ms: Math.round(seconds * 1000) }))
}

/** Keys of lines that are logged once. Messages of internal errors are not a closed set. */
const MAX_KEYS = 1000

/** A system may list other pools at every poll. */
const MAX_LISTED = 10
const listed = (pools: readonly string[]) => namesText(pools, String, MAX_LISTED)

/** Logs a failure when its reason is new since the last success, and the first success after failures. */
function createChangeLog(log: Log, placeOf: (poolId: string | undefined) => Fields) {
  /** Reasons by subject, by pool. */
  const failing = new Map<string | undefined, Map<string, Set<string>>>()

  return {
    /** @param poolId undefined for what is of the whole system */
    note(subject: string, poolId: string | undefined, failure: ApiError | undefined): void {
      const ofPool = failing.get(poolId) ?? new Map<string, Set<string>>()
      failing.set(poolId, ofPool)
      const reasons = ofPool.get(subject)
      if (failure === undefined) {
        ofPool.delete(subject)
        if (reasons !== undefined) log.info(`${subject} works again`, placeOf(poolId))
        return
      }
      if (reasons?.has(failure.reason)) return
      ofPool.set(subject, new Set(reasons).add(failure.reason))
      const { reason, message: error, remedy } = failure
      log.warn(`${subject} failed`, { ...placeOf(poolId), reason, error, remedy })
    },
    forget: (poolId: string): unknown => failing.delete(poolId),
  }
}

/** A pool as in the labels of its series, `pool` and `pool_id`; nothing without one. */
export function poolFields(
  system: SystemState | undefined,
  poolId: string | undefined,
): { pool?: string; pool_id?: string } {
  return poolId === undefined ? {} : { pool: labelOf(system, poolId), pool_id: poolId }
}

/** The name of a pool with its id; the id alone where the name is not known. */
function poolText(system: SystemState | undefined, poolId: string, name?: string): string {
  const known = name ?? labelOf(system, poolId)
  return known === poolId ? poolId : `${known} (${poolId})`
}

function labelOf(system: SystemState | undefined, poolId: string): string {
  return system?.pools.get(poolId)?.label ?? poolId
}
