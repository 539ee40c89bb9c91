import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { CLIENT_AUTH } from '../../config/web/sections.ts'
import type { WebTls } from '../../config/web/tls.ts'
import { shortestAddress } from './addresses.ts'
import { forbidden, type Refusal } from './refusal.ts'

const REQUIRED = forbidden('a client certificate is required')
const UNKNOWN = forbidden('the client certificate is not trusted')
const NOT_LISTED = forbidden('the client certificate is not in client_allowed_sans')

/**
 * Checks a connection against the client certificate policy. The handshake requests a certificate and proves that the
 * client has its key, but accepts every certificate, because the open paths need none. Only a certificate with an
 * invalid signature may end the handshake: OpenSSL can report it as a connection error.
 */
export function checkClientCertificate(tls: WebTls, socket: TLSSocket): Refusal | undefined {
  const policy = CLIENT_AUTH[tls.clientAuth]
  if (!policy.requested) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return policy.required ? REQUIRED : undefined
  if (policy.verified && !socket.authorized) return UNKNOWN
  return isListed(certificate, tls.allowedSans) ? undefined : NOT_LISTED
}

function isListed(certificate: X509Certificate, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true
  const listed = new Set(allowed.map(shortestAddress))
  return alternativeNames(certificate.subjectAltName ?? '').some((name) => listed.has(name))
}

/** One name in `DNS:a, IP Address:0:0:0:0:0:0:0:1`; Node.js quotes names with special characters as JSON strings. */
const NAME = /(DNS|IP Address|email|URI):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y
const OTHER_KIND = /[A-Za-z0-9 ]+:(?:"(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y

/**
 * The DNS names, IP addresses, email addresses and URIs of a certificate.
 * @param text `X509Certificate.subjectAltName`; no names are returned if any part cannot be parsed
 */
export function alternativeNames(text: string): string[] {
  const names: string[] = []
  let position = 0
  while (position < text.length) {
    NAME.lastIndex = position
    OTHER_KIND.lastIndex = position
    const [, kind, value = ''] = NAME.exec(text) ?? []
    const name = kind === undefined ? undefined : canonicalName(kind, value)
    const isOther = kind === undefined && OTHER_KIND.test(text)
    if (name === undefined && !isOther) return []
    if (name !== undefined) names.push(name)
    position = isOther ? OTHER_KIND.lastIndex : NAME.lastIndex
  }
  return names
}

/** Undefined if a quoted name is not a JSON string. */
function canonicalName(kind: string, value: string): string | undefined {
  const name = value.startsWith('"') ? unquoted(value) : value
  return kind === 'IP Address' && name !== undefined ? shortestAddress(name) : name
}

function unquoted(value: string): string | undefined {
  try {
    return String(JSON.parse(value))
  } catch {
    return undefined
  }
}
