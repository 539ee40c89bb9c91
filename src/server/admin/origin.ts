import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { plainAddress } from '../auth/addresses.ts'
import { refused } from './errors.ts'

export interface OriginRules {
  /** The host of the listen address; undefined if it has none. */
  readonly listenHost: string | undefined
  /** `name`, for any port, or `name:port`. */
  readonly allowedHosts: readonly string[]
}

/**
 * Protects against DNS rebinding (checks `Host`) and against cross-site requests (checks `Origin` and
 * `Sec-Fetch-Site`).
 * @throws {Refused} 421 or 403
 */
export function checkOrigin(request: IncomingMessage, rules: OriginRules): void {
  const host = request.headers.host?.toLowerCase() ?? ''
  const isAllowed = isAllowedHost(host, rules)
  if (!isAllowed && !isOwnHost(host, request, rules)) {
    throw refused('foreignHost', 'To allow this name, start the exporter with --admin.allowed-hosts=NAME')
  }
  const { origin } = request.headers
  // A reverse proxy, for which --admin.allowed-hosts is meant, may add or remove TLS.
  const own = (isAllowed ? ['http', 'https'] : [schemeOf(request)]).map((scheme) => `${scheme}://${host}`)
  const isForeign = origin !== undefined && !own.includes(origin.toLowerCase())
  if (isForeign || isCrossSite(request)) {
    throw refused('foreignOrigin', 'Browsers may send this request only from the page of this exporter')
  }
}

/** Links to the page from other sites are allowed. */
function isCrossSite({ headers, method, url }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(method === 'GET' && url === '/' && headers['sec-fetch-mode'] === 'navigate')
}

function isAllowedHost(host: string, { allowedHosts }: OriginRules): boolean {
  const name = host.replace(/:\d+$/, '')
  return host !== '' && allowedHosts.some((allowed) => [host, name].includes(allowed.toLowerCase()))
}

const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/
const DEFAULT_PORTS = { http: 80, https: 443 } as const

function isOwnHost(host: string, request: IncomingMessage, { listenHost }: OriginRules): boolean {
  const [, name, port] = HOST.exec(host) ?? []
  if (name === undefined) return false
  const { localPort, localAddress = '' } = request.socket
  if (Number(port ?? DEFAULT_PORTS[schemeOf(request)]) !== localPort) return false
  const address = plainAddress(localAddress)
  const isLoopback = address.startsWith('127.') || address === '::1'
  const own = [
    address,
    ...(isLoopback ? ['localhost'] : []),
    ...(listenHost === undefined ? [] : [listenHost]),
  ]
  return own.map(hostForm).includes(hostForm(name))
}

/** Writes IPv6 addresses in their shortest form. */
function hostForm(name: string): string {
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  return isIPv6(bare) ? new URL(`http://[${bare}]`).hostname : bare
}

function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return 'encrypted' in socket ? 'https' : 'http'
}
