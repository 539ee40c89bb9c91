import { isIP, isIPv6 } from 'node:net'
import { errorCode } from './errors.ts'

/** Without a host: all addresses of the machine, IPv6 and IPv4. */
export interface ListenAddress {
  readonly host?: string
  readonly port: number
}

export function hostsOf(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => parseListenAddress(address).host ?? [])
}

/** Whether only this machine, or this container, reaches a host of a listen address. */
export function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host)
}

/** In a URL for clients on this machine: a host of a listen address, or an address that is bound. */
export function urlHost(host: string): string {
  if (host === '::') return 'localhost'
  if (host === '0.0.0.0') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** A listen address that is invalid or cannot be bound. The message names the address and the remedy. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

export const MAX_PORT = 65_535
const FORMS = 'write :9438, 127.0.0.1:9438, [::1]:9438 or localhost:9438'
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

/** Reads `:9438`, `127.0.0.1:0`, `[::1]:9439` or `localhost:9438`; port 0 selects a free port. @throws {ListenError} */
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
  const port = Number(digits)
  if (!/^\d{1,5}$/.test(digits) || port > MAX_PORT)
    throw refuse(`the port must be a number from 0 to ${MAX_PORT}`)
  return host === '' ? { port } : { host, port }
}

function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true
  // 1.2.3 and 999.1.1.1 match the pattern of host names and may resolve to unexpected addresses.
  return HOST_NAME.test(text) && !/^[\d.]+$/.test(text)
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the other program, or choose another port',
  EADDRNOTAVAIL: 'no interface of this machine has this address; use another one, or :PORT for all',
  EACCES: 'permission denied; choose a port above 1023',
  ENOTFOUND: 'the name does not resolve; write an IP address',
  EAI_AGAIN: 'the name could not be resolved; write an IP address',
}

/** A ListenError for a failed bind, with the address, the error code and the remedy. @param flag sets the address */
export function explainListenError(address: string, cause: unknown, flag?: string): ListenError {
  const code = errorCode(cause) || 'unknown error'
  const remedy = `${REMEDIES[code] ?? 'check the address'}${flag === undefined ? '' : ` (${flag})`}`
  return new ListenError(`cannot listen on '${address}' (${code}): ${remedy}`, { cause })
}
