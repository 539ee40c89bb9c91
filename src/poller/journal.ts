import type { ApiError } from '../api/errors/errors.ts'
import type { RejectedValue } from '../api/feed/rejected_values.ts'
import { REJECTIONS } from '../api/parse/reads.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'

/** Counts every outcome and logs each change once: a fault that lasts must not fill the log. */
export interface Journal {
  polled(poolId: string, failure: ApiError | undefined): void
  forecast(poolId: string, failure: ApiError | undefined): void
  discovered(failure: ApiError | undefined): void
  /** The pools that are polled from now on; tells what appeared and what left. */
  pools(before: readonly string[], now: readonly string[]): void
  rejected(poolId: string, values: readonly RejectedValue[]): void
  /** Something broke off that never should: a fault of the exporter itself. */
  broke(what: string, failure: unknown): void
  /** The pool is gone; nothing that was counted or told of it is kept. */
  forget(poolId: string): void
}

export function createJournal(log: Log, own: OwnMetrics, system: string): Journal {
  const failing = new Map<string, Set<string>>()
  const told = new Set<string>()

  /** Logs a failure when its reason is new since the subject last worked, and the end of all of them. */
  function noteChange(subject: string, fields: Record<string, string>, failure: ApiError | undefined): void {
    const key = `${subject} ${fields['pool'] ?? ''}`
    const reasons = failing.get(key)
    if (failure === undefined) {
      failing.delete(key)
      if (reasons !== undefined) log.info(`${subject} works again`, { system, ...fields })
      return
    }
    if (reasons?.has(failure.reason)) return
    failing.set(key, new Set(reasons).add(failure.reason))
    log.warn(`${subject} failed`, { system, ...fields, reason: failure.reason, error: failure.message })
  }

  function noteRejected(pool: string, value: RejectedValue): void {
    const { attribute, reason, node, text } = value
    own.rejected(system, attribute, reason, value.times)
    // What one pool garbles, the others of the system mostly garble too: once is enough.
    const kind = `${attribute} ${reason}`
    if (told.has(kind)) return
    told.add(kind)
    const why = REJECTIONS[reason]
    const fields = { system, pool, node, attribute, reason, why, value: text }
    log.warn('a value of the feed was not exported', fields)
  }

  return {
    polled(poolId, failure) {
      own.poll(system, poolId, failure?.reason ?? 'ok')
      noteChange('poll', { pool: poolId }, failure)
    },
    forecast: (poolId, failure) => noteChange('forecast', { pool: poolId }, failure),
    discovered: (failure) => noteChange('discovery of pools', {}, failure),
    pools(before, now) {
      const appeared = now.filter((id) => !before.includes(id))
      const left = before.filter((id) => !now.includes(id))
      if (appeared.length === 0 && left.length === 0) return
      log.info('polling pools', {
        system,
        pools: now.length,
        appeared: appeared.join(' '),
        left: left.join(' '),
      })
    },
    rejected(poolId, values) {
      for (const value of values) noteRejected(poolId, value)
    },
    broke(what, failure) {
      const error = String(failure)
      if (told.has(`${what} ${error}`)) return
      told.add(`${what} ${error}`)
      log.error('something broke off: please report this', { system, what, error })
    },
    forget(poolId) {
      own.forgetPool(system, poolId)
      for (const subject of ['poll', 'forecast']) failing.delete(`${subject} ${poolId}`)
    },
  }
}
