import type { IncomingMessage, ServerResponse } from 'node:http'

/** When these are repeated, Node.js uses the first value; a proxy may use the last. */
const SINGLE_HEADERS = ['host', 'authorization', 'origin', 'content-length'] as const

const URL_TOO_LONG: Refusal = { status: 414, text: 'URI too long', isLast: true }
const BAD_TARGET: Refusal = {
  status: 400,
  text: 'bad request: the request target must be a path that starts with a single slash',
  isLast: true,
}
const REPEATED_HEADER: Refusal = { status: 400, text: 'bad request: repeated header', isLast: true }
const MISSING_HOST: Refusal = { status: 400, text: 'bad request: no Host header', isLast: true }
const BODY: Refusal = { status: 413, text: 'content too large: requests must not have a body', isLast: true }

export interface AcceptedRequests {
  /** Of the request target. */
  readonly urlBytes: number
  readonly acceptsBodies: boolean
}

/** Refuses long targets, those that are no path (a backslash is a slash), repeated headers, and bodies. */
export function checkRequest(request: IncomingMessage, accepted: AcceptedRequests): Refusal | undefined {
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

/** A response sent instead of calling the handler. Its text has no details that help an attacker. */
export interface Refusal {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
  /** Closes the connection: further data on it may not be a valid request. */
  readonly isLast?: true
}

/** A refusal of all requests of a connection. */
export function forbidden(reason: string): Refusal {
  return { status: 403, text: `forbidden: ${reason}`, isLast: true }
}

/** Sends a refusal as plain text, or closes the connection if the response has already started. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    // Not response.destroy(): a reset would also discard what was sent before the failure.
    response.socket?.destroy()
    return
  }
  const body = `${refusal.text}\n`
  response.writeHead(refusal.status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(refusal.isLast && { Connection: 'close' }),
    ...refusal.headers,
  })
  response.end(body)
}
