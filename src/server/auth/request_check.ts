import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HttpError } from '../../values/http_error.ts'

/** When these are repeated, Node.js uses the first value; a proxy may use the last. */
const SINGLE_HEADERS = ['host', 'authorization', 'origin', 'content-length'] as const

/** Further data on the connection may not be a valid request. */
const CLOSE = { Connection: 'close' }
const URL_TOO_LONG = new HttpError(414, 'URI too long', CLOSE)
const BAD_TARGET = new HttpError(
  400,
  'bad request: the request target must be a path that starts with a single slash',
  CLOSE,
)
const REPEATED_HEADER = new HttpError(400, 'bad request: repeated header', CLOSE)
const MISSING_HOST = new HttpError(400, 'bad request: no Host header', CLOSE)
const BODY = new HttpError(413, 'content too large: requests must not have a body', CLOSE)

export interface AcceptedRequests {
  /** Longest request target. */
  readonly urlBytes: number
  readonly acceptsBodies: boolean
}

/** Refuses long targets, those that are no path (a backslash is a slash), repeated headers, and bodies. */
export function checkRequest(request: IncomingMessage, accepted: AcceptedRequests): HttpError | undefined {
  const target = request.url ?? ''
  if (target.length > accepted.urlBytes) return URL_TOO_LONG
  if (!/^\/(?![/\\])/.test(target)) return BAD_TARGET
  if (SINGLE_HEADERS.some((name) => (request.headersDistinct[name]?.length ?? 0) > 1)) return REPEATED_HEADER
  if (request.httpVersion === '1.1' && request.headers.host === undefined) return MISSING_HOST
  return accepted.acceptsBodies || !hasBody(request) ? undefined : BODY
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The path as sent, neither decoded nor normalized: `/-/healthy/../metrics` is not changed. */
export function rawPath(request: IncomingMessage): string {
  return (request.url ?? '').replace(/\?.*$/s, '')
}

/** A refusal of all requests of a connection. */
export function forbidden(reason: string): HttpError {
  return new HttpError(403, `forbidden: ${reason}`, CLOSE)
}

/** Removes the prefix of IPv4-mapped addresses: a dual-stack socket reports `::ffff:192.0.2.7`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The client address for logs and limits; empty once the connection is closed. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress)
}
