import { isIP, isIPv6 } from 'node:net'

/** Where to listen. Without a host: on every address of the machine, IPv6 and IPv4. */
export interface ListenAddress {
  readonly host?: string
  readonly port: number
}

/** An address that cannot be listened on, with the address and the remedy in its words. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

const MAX_PORT = 65_535
const FORMS = 'write :9438, 127.0.0.1:9438, [::1]:9438 or localhost:9438'
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

/**
 * Reads a listen address as Prometheus' exporters write it; port 0 lets the system choose one.
 * @throws {ListenError} naming the address and the forms that are understood
 */
export function parseListenAddress(text: string): ListenAddress {
  const refuse = (reason: string) => new ListenError(`listen address '${text}': ${reason}; ${FORMS}`)
  const match = /^(?:\[([^\]]*)\]|(.*)):([^:]*)$/s.exec(text)
  if (match === null) throw refuse('a colon and a port are missing')
  if (/^[a-z]+:\/\//i.test(text)) throw refuse('an address has no scheme')
  const [, bracketed, bare = '', digits = ''] = match
  const host = bracketed ?? bare
  if (bare.includes(':')) throw refuse('an IPv6 address needs brackets')
  if (bracketed !== undefined && !isIPv6(host)) throw refuse(`'${host}' is not an IPv6 address`)
  if (host !== '' && !isHost(host)) throw refuse(`'${host}' is neither an IP address nor a host name`)
  const port = parsePort(digits)
  if (port === undefined) throw refuse(`the port must be a number from 0 to ${MAX_PORT}`)
  return host === '' ? { port } : { host, port }
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true
  // 1.2.3 and 999.1.1.1 would pass as names, and resolve to surprises
  return HOST_NAME.test(text) && !/^[\d.]+$/.test(text)
}

function parsePort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined
  const port = Number(text)
  return port <= MAX_PORT ? port : undefined
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port; stop it, or choose another port',
  EADDRNOTAVAIL: 'no interface of this machine has this address; choose one that it has, or :PORT for all',
  EACCES: 'this user may not use the port; choose one above 1023',
  ENOTFOUND: 'the name does not resolve; write an IP address',
  EAI_AGAIN: 'the name could not be resolved now; write an IP address',
}

/** The same failure in words for people: the address, the reason, the remedy. */
export function explainListenError(address: string, cause: unknown): ListenError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
  const remedy = REMEDIES[code] ?? 'check the address'
  return new ListenError(`cannot listen on '${address}' (${code}): ${remedy}`, { cause })
}
