import type { IncomingMessage } from 'node:http'
import type { Refusal } from './refusal.ts'

/** When these are repeated, Node.js uses the first value; a proxy may use the last. */
const SINGLE_HEADERS = ['host', 'authorization', 'origin', 'content-length'] as const

const URL_TOO_LONG: Refusal = { status: 414, text: 'URI too long', isLast: true }
const BAD_TARGET: Refusal = {
  status: 400,
  text: 'bad request: the request target must be a path that starts with a single slash',
  isLast: true,
}
const REPEATED_HEADER: Refusal = { status: 400, text: 'bad request: repeated header', isLast: true }

/**
 * Refuses a target that is too long, a target that is not a path (a URL, an authority, `*` or `//host`; a backslash
 * counts as a slash, as in the URL class), and a repeated header that must be unique.
 */
export function checkRequest(request: IncomingMessage, urlBytes: number): Refusal | undefined {
  const target = request.url ?? ''
  if (target.length > urlBytes) return URL_TOO_LONG
  if (!/^\/(?![/\\])/.test(target)) return BAD_TARGET
  return SINGLE_HEADERS.some((name) => isRepeated(request, name)) ? REPEATED_HEADER : undefined
}

function isRepeated(request: IncomingMessage, name: string): boolean {
  return (request.headersDistinct[name]?.length ?? 0) > 1
}

/** The path as sent, neither decoded nor normalized: `/-/healthy/../metrics` is not changed. */
export function rawPath(request: IncomingMessage): string {
  return (request.url ?? '').replace(/\?.*$/s, '')
}
