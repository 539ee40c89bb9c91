import type { IncomingMessage } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
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

interface AcceptedRequests {
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
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers
  const hasBody = encoding !== undefined || Number(length ?? 0) > 0
  return accepted.acceptsBodies || !hasBody ? undefined : BODY
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
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The client address for logs and limits; empty once the connection is closed. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress)
}

export interface OriginRules {
  /** The hosts of the listen addresses, as far as they have one. */
  readonly listenHosts: readonly string[]
  /** `name`, for any port, or `name:port`. Undefined: every name is accepted. */
  readonly allowedHosts: readonly string[] | undefined
}

/** Whether `Host` is a name of the listener. Protects against DNS rebinding. */
export function hasExpectedHost(request: IncomingMessage, rules: OriginRules): boolean {
  const host = hostOf(request)
  return isAllowedHost(host, rules) || isOwnHost(host, request, rules)
}

/** Whether a browser sent the request from a page of another site, by `Origin` and `Sec-Fetch-Site`. */
export function isCrossSite(request: IncomingMessage, rules: OriginRules): boolean {
  const host = hostOf(request)
  const { origin } = request.headers
  // A reverse proxy, for which further host names are meant, may add or remove TLS.
  const schemes = isAllowedHost(host, rules) ? ['http', 'https'] : [schemeOf(request)]
  const own = schemes.map((scheme) => `${scheme}://${host}`)
  const isForeign = origin !== undefined && !own.includes(origin.toLowerCase())
  return isForeign || isFetchedByOtherSite(request)
}

function hostOf({ headers }: IncomingMessage): string {
  return headers.host?.toLowerCase() ?? ''
}

/** Links to the page at `/` from other sites are allowed. */
function isFetchedByOtherSite({ headers, method, url }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(method === 'GET' && url === '/' && headers['sec-fetch-mode'] === 'navigate')
}

function isAllowedHost(host: string, { allowedHosts }: OriginRules): boolean {
  if (allowedHosts === undefined) return true
  const name = host.replace(/:\d+$/, '')
  return host !== '' && allowedHosts.some((allowed) => [host, name].includes(allowed.toLowerCase()))
}

const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/
const DEFAULT_PORTS = { http: 80, https: 443 } as const

function isOwnHost(host: string, request: IncomingMessage, { listenHosts }: OriginRules): boolean {
  const [, name, port] = HOST.exec(host) ?? []
  if (name === undefined) return false
  const { localPort, localAddress = '' } = request.socket
  if (Number(port ?? DEFAULT_PORTS[schemeOf(request)]) !== localPort) return false
  // Clients leave out the zone of a link-local address.
  const address = plainAddress(localAddress).replace(/%.*$/, '')
  const isLoopback = address.startsWith('127.') || address === '::1'
  const own = [address, ...(isLoopback ? ['localhost'] : []), ...listenHosts]
  return own.map(hostForm).includes(hostForm(name))
}

/** In lower case; an IPv6 address without brackets and in its shortest form, as the URL class writes it. */
function hostForm(name: string): string {
  const host = name.replace(/^\[|\]$/g, '').toLowerCase()
  return isIPv6(host) && !host.includes('%') ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host
}

function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return 'encrypted' in socket ? 'https' : 'http'
}
