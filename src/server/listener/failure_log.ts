import type { Fields, Log } from '../../log.ts'
import { createBoundedMap } from '../auth/bounded_map.ts'

/** Logs why requests failed. */
export interface FailureLog {
  /** The fields must not contain the failure. */
  write(message: string, failure: unknown, fields?: Fields): void
}

/** Errors of the client's own connection: it has left. */
const CLIENT_LEFT: readonly unknown[] = [
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]
const REPEAT_MS = 60_000
const REMEMBERED_LINES = 100

/**
 * Logs failures as errors; a client that left is no failure, and logged at level debug. Repetitions of a line within a
 * minute are counted, and logged as `repeated` with the next line.
 * @param now monotonic clock in milliseconds
 */
export function createFailureLog(log: Log, now: () => number = () => performance.now()): FailureLog {
  const lines = createBoundedMap<string, { readonly at: number; repeated: number }>(REMEMBERED_LINES)
  return {
    write(message, failure, fields = {}) {
      const reason = failure instanceof Error ? failure.message : String(failure)
      if (hasClientLeft(failure)) return log.debug('client left', { ...fields, reason })
      const key = JSON.stringify([message, reason, fields])
      const last = lines.get(key)
      if (last !== undefined && now() - last.at < REPEAT_MS) {
        last.repeated += 1
        return
      }
      lines.set(key, { at: now(), repeated: 0 })
      const repeated = last?.repeated ?? 0
      log.error(message, { ...fields, reason, ...(repeated > 0 && { repeated }) })
    },
  }
}

/** Codes of the HTTP parser: the request was truncated, or was followed by data that is not HTTP. */
const NOT_HTTP = /^HPE_/

function hasClientLeft(failure: unknown): boolean {
  if (!(failure instanceof Error && 'code' in failure)) return false
  return CLIENT_LEFT.includes(failure.code) || NOT_HTTP.test(String(failure.code))
}
