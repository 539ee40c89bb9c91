import type { Fields, Log } from '../../log.ts'
import { errorText } from '../../values/errors.ts'

/** Errors of the client's own connection: it has left. */
const CLIENT_LEFT: readonly unknown[] = [
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]
/** Codes of the HTTP parser: the request was truncated, or was followed by data that is not HTTP. */
const NOT_HTTP = /^HPE_/

/** A client that left is no failure, and logged at level debug. @param fields without the failure */
export function logFailure(log: Log, message: string, failure: unknown, fields: Fields = {}): void {
  const reason = errorText(failure)
  if (hasClientLeft(failure)) log.debug('client left', { ...fields, reason })
  else log.error(message, { ...fields, reason })
}

function hasClientLeft(failure: unknown): boolean {
  if (!(failure instanceof Error && 'code' in failure)) return false
  return CLIENT_LEFT.includes(failure.code) || NOT_HTTP.test(String(failure.code))
}
