import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { plainAddress } from './request_check.ts'

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
