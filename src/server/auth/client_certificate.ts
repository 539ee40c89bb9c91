import type { X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { WebTls } from '../../config/web/tls.ts'
import { CLIENT_AUTH } from '../../config/web/tls_names.ts'
import type { Refusal } from './refusal.ts'

const REQUIRED: Refusal = { status: 403, text: 'forbidden: a client certificate is required', isLast: true }
const UNKNOWN: Refusal = {
  status: 403,
  text: 'forbidden: the client certificate is not trusted here',
  isLast: true,
}
const NOT_LISTED: Refusal = {
  status: 403,
  text: 'forbidden: the client certificate is not on the list',
  isLast: true,
}

/**
 * Judges a connection by the client certificate policy. The handshake asks for a certificate (and proves that the
 * client has its key) but lets everybody through to here, because health and readiness are open to everybody. Only a
 * certificate with a false signature may end earlier: OpenSSL can take that failure for one of the connection.
 */
export function checkClientCertificate(tls: WebTls, socket: TLSSocket): Refusal | undefined {
  const policy = CLIENT_AUTH[tls.clientAuth]
  if (!policy.asked) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return policy.required ? REQUIRED : undefined
  if (policy.verified && !socket.authorized) return UNKNOWN
  return isListed(certificate, tls.allowedSans) ? undefined : NOT_LISTED
}

function isListed(certificate: X509Certificate, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true
  const listed = new Set(allowed.map(canonicalAddress))
  return alternativeNames(certificate.subjectAltName ?? '').some((name) => listed.has(name))
}

/** One name of Node's list, `DNS:a, IP Address:0:0:0:0:0:0:0:1`; what could deceive a reader is quoted as JSON is. */
const NAME = /(DNS|IP Address|email|URI):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y
const OTHER_KIND = /[A-Za-z0-9 ]+:(?:"(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y

/**
 * The names of a certificate that a list can contain.
 * @param text as `X509Certificate.subjectAltName` has it; a text that is not of that form gives no name at all
 */
export function alternativeNames(text: string): string[] {
  const names: string[] = []
  let position = 0
  while (position < text.length) {
    NAME.lastIndex = position
    OTHER_KIND.lastIndex = position
    const [, kind, value = ''] = NAME.exec(text) ?? []
    if (kind === undefined && !OTHER_KIND.test(text)) return []
    if (kind !== undefined) names.push(canonicalName(kind, value))
    position = kind === undefined ? OTHER_KIND.lastIndex : NAME.lastIndex
  }
  return names
}

function canonicalName(kind: string, value: string): string {
  const name = value.startsWith('"') ? String(JSON.parse(value)) : value
  return kind === 'IP Address' ? canonicalAddress(name) : name
}

/** IPv6 addresses have many spellings; the URL class knows the short one. */
function canonicalAddress(name: string): string {
  return isIPv6(name) && !name.includes('%') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name
}
