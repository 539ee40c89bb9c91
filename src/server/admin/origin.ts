import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { plainAddress } from '../auth/addresses.ts'
import { refused } from './errors.ts'

export interface OriginRules {
  /** The host of the listen address, where it has one. */
  readonly listenHost: string | undefined
  /** `name`, for any port, or `name:port`. */
  readonly allowedHosts: readonly string[]
}

/**
 * Refuses what a browser sends that was led here by a strange name or a strange page. A name that an attacker lets
 * point to this machine (DNS rebinding) arrives as `Host`; a request that another site's page makes says so in
 * `Origin` or `Sec-Fetch-Site`.
 * @throws {Refused} 421 or 403
 */
export function checkOrigin(request: IncomingMessage, rules: OriginRules): void {
  const host = request.headers.host?.toLowerCase() ?? ''
  const isAllowed = isAllowedHost(host, rules)
  if (!isAllowed && !isOwnHost(host, request, rules)) {
    throw refused(
      'foreignHost',
      'If this name is meant to reach the exporter, start it with --admin.allowed-hosts=NAME',
    )
  }
  const { origin } = request.headers
  // A proxy in front, which the allowed names are for, may add or take away TLS.
  const own = (isAllowed ? ['http', 'https'] : [schemeOf(request)]).map((scheme) => `${scheme}://${host}`)
  const isForeign = origin !== undefined && !own.includes(origin.toLowerCase())
  if (isForeign || isCrossSite(request)) {
    throw refused('foreignOrigin', 'Only the page of this exporter may do that from within a browser')
  }
}

/** Somebody may follow a link to the page from anywhere; nothing else is for other sites. */
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

/** One spelling for each address: IPv6 has many. */
function hostForm(name: string): string {
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  return isIPv6(bare) ? new URL(`http://[${bare}]`).hostname : bare
}

function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return 'encrypted' in socket ? 'https' : 'http'
}
