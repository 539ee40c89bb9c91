import type { ApiError } from '../api/errors.ts'
import type { RejectedValue } from '../api/feed.ts'
import { REJECTIONS } from '../api/numbers.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'

/** Counts every outcome and logs each change once: a fault that lasts must not fill the log. */
export interface Journal {
  polled(poolId: string, failure: ApiError | undefined): void
  forecast(poolId: string, failure: ApiError | undefined): void
  discovered(failure: ApiError | undefined): void
  rejected(poolId: string, values: readonly RejectedValue[]): void
}

export function createJournal(log: Log, own: OwnMetrics, system: string): Journal {
  const failing = new Map<string, string>()
  const told = new Set<string>()

  /** Logs a failure when its reason is new, and its end. */
  function noteChange(subject: string, fields: Record<string, string>, failure: ApiError | undefined): void {
    const key = `${subject} ${fields['pool'] ?? ''}`
    const before = failing.get(key)
    if (failure === undefined) {
      failing.delete(key)
      if (before !== undefined) log.info(`${subject} works again`, { system, ...fields })
    } else if (before !== failure.reason) {
      failing.set(key, failure.reason)
      log.warn(`${subject} failed`, { system, ...fields, reason: failure.reason, error: failure.message })
    }
  }

  return {
    polled(poolId, failure) {
      own.poll(system, poolId, failure?.reason ?? 'ok')
      noteChange('poll', { pool: poolId }, failure)
    },
    forecast: (poolId, failure) => noteChange('forecast', { pool: poolId }, failure),
    discovered: (failure) => noteChange('discovery of pools', {}, failure),
    rejected(poolId, values) {
      for (const { attribute, reason, node, text, times } of values) {
        own.rejected(system, attribute, reason, times)
        const key = `${poolId} ${attribute} ${reason}`
        if (told.has(key)) continue
        told.add(key)
        const why = REJECTIONS[reason]
        log.warn('a value of the feed was not exported', {
          system,
          pool: poolId,
          node,
          attribute,
          reason,
          why,
          value: text,
        })
      }
    },
  }
}
