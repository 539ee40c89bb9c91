import type { IncomingMessage } from 'node:http'
import type { Refusal } from './refusal.ts'

/** Node takes the first of these when they are repeated; a proxy in front may have taken the last. */
const SINGLE_HEADERS = ['host', 'authorization', 'origin', 'content-length'] as const

const URL_TOO_LONG: Refusal = { status: 414, text: 'URI too long', isLast: true }
const BAD_TARGET: Refusal = {
  status: 400,
  text: 'bad request: the target must be a path that starts with one slash',
  isLast: true,
}
const REPEATED_HEADER: Refusal = { status: 400, text: 'bad request: repeated header', isLast: true }

/**
 * What no route should ever meet: a target that is too long, or a whole URL, an authority, `*` or `//host` instead
 * of a path (a backslash counts as a slash, as it does for the URL class), or a repeated header with two meanings.
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

/** The path as it was sent, neither decoded nor folded: `/-/healthy/../metrics` stays what it is. */
export function rawPath(request: IncomingMessage): string {
  return (request.url ?? '').replace(/\?.*$/s, '')
}
