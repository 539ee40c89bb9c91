import type { ApiError } from '../api/errors/errors.ts'
import type { RejectedValue } from '../api/feed/rejected_values.ts'
import { REJECTIONS } from '../api/parse/reads.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { type ChangeLog, createQueryJournal, type Once, type QueryJournal } from './query_journal.ts'

/** Logs each change once, so that a fault that lasts does not fill the log; counts polls of the query interface. */
export interface Journal extends QueryJournal {
  polled(poolId: string, failure: ApiError | undefined): void
  forecast(poolId: string, failure: ApiError | undefined): void
  discovered(failure: ApiError | undefined): void
  /** Logs which pools are new in the list, and which are gone. */
  pools(before: readonly string[], now: readonly string[]): void
  /** @param poolId undefined for values of the query interface */
  rejected(poolId: string | undefined, values: readonly RejectedValue[]): void
  /** A fault of the exporter itself. */
  internalError(what: string, failure: unknown): void
  /** The pool is gone: forgets its failures. */
  forget(poolId: string): void
}

export function createJournal(log: Log, own: OwnMetrics, system: string): Journal {
  const changes = createChangeLog(log, system)
  const once = createOnce()

  function noteRejected(pool: string | undefined, value: RejectedValue): void {
    const { attribute, reason, node, text } = value
    const why = REJECTIONS[reason]
    const fields = { system, pool, node, attribute, reason, why, value: text }
    // Pools of one system mostly have the same faulty values: one line for all of them.
    const source = pool === undefined ? 'query interface' : 'feed'
    once(`${attribute} ${reason}`, () => log.warn(`a value of the ${source} was not exported`, fields))
  }

  return {
    polled: (poolId, failure) => changes.note('poll', { pool: poolId }, failure),
    forecast: (poolId, failure) => changes.note('forecast', { pool: poolId }, failure),
    discovered: (failure) => changes.note('discovery of pools', {}, failure),
    pools(before, now) {
      const appeared = listed(without(now, before))
      const left = listed(without(before, now))
      if (appeared === '' && left === '') return
      log.info('polling pools', { system, pools: now.length, appeared, left })
    },
    rejected(poolId, values) {
      for (const value of values) noteRejected(poolId, value)
    },
    ...createQueryJournal({ log, own, system, changes, once }),
    internalError(what, failure) {
      const error = String(failure)
      const fields = { system, what, error }
      once(`${what} ${error}`, () => log.error('internal error: please report this', fields))
    },
    forget: changes.forget,
  }
}

function without(ids: readonly string[], others: readonly string[]): readonly string[] {
  const excluded = new Set(others)
  return ids.filter((id) => !excluded.has(id))
}

/** A system may list other pools at every poll. */
const MAX_LISTED = 10

function listed(ids: readonly string[]): string {
  const rest = ids.length - MAX_LISTED
  return [...ids.slice(0, MAX_LISTED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(' ')
}

/** Keys that are remembered. Messages of internal errors are not a closed set. */
const MAX_KEYS = 1000

/** Runs an action at the first time of its key only. */
function createOnce(): Once {
  const done = new Set<string>()
  return (key: string, action: () => void): void => {
    if (done.has(key)) return
    if (done.size >= MAX_KEYS) done.clear()
    done.add(key)
    action()
  }
}

/** Logs a failure when its reason is new since the last success, and the first success after failures. */
function createChangeLog(log: Log, system: string): ChangeLog & { forget(poolId: string): void } {
  const failing = new Map<string, Set<string>>()
  const keyOf = (subject: string, pool = '') => `${subject} ${pool}`

  return {
    note(subject: string, fields: { readonly pool?: string }, failure: ApiError | undefined): void {
      const key = keyOf(subject, fields.pool)
      const reasons = failing.get(key)
      if (failure === undefined) {
        failing.delete(key)
        if (reasons !== undefined) log.info(`${subject} works again`, { system, ...fields })
        return
      }
      if (reasons?.has(failure.reason)) return
      failing.set(key, new Set(reasons).add(failure.reason))
      log.warn(`${subject} failed`, { system, ...fields, reason: failure.reason, error: failure.message })
    },
    forget(poolId: string): void {
      for (const subject of ['poll', 'forecast']) failing.delete(keyOf(subject, poolId))
    },
  }
}
