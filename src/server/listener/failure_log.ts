import type { Fields, Log } from '../../log.ts'
import { errorCode, errorText } from '../../values/errors.ts'

/** Logs why requests failed. */
export interface FailureLog {
  /** The fields must not contain the failure. */
  write(message: string, failure: unknown, fields?: Fields): void
}

/** Errors of the client's own connection: it has left. */
const CLIENT_LEFT: readonly string[] = [
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]

/** Logs failures as errors. A client that left is no failure, and logged at level debug. */
export function createFailureLog(log: Log): FailureLog {
  return {
    write(message, failure, fields = {}) {
      const reason = errorText(failure)
      if (hasClientLeft(failure)) log.debug('client left', { ...fields, reason })
      else log.error(message, { ...fields, reason })
    },
  }
}

/** Codes of the HTTP parser: the request was truncated, or was followed by data that is not HTTP. */
const NOT_HTTP = /^HPE_/

function hasClientLeft(failure: unknown): boolean {
  const code = errorCode(failure)
  return CLIENT_LEFT.includes(code) || NOT_HTTP.test(code)
}
