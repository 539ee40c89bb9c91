import { X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { readPem } from '../../../api/http/connector.ts'
import { untilAborted } from '../../../api/http/waiting.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { type Finding, failed, failuresAsWarnings, filled } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Resolves the host names of the base URLs, as connections do, including /etc/hosts. */
export const namesCheck = systemCheck({
  title: 'names',
  needs: [],
  gives: ['resolved'],
  run: async ({ system: { baseUrls }, signal }) => {
    const hosts = [...new Set(baseUrls.map(hostOf))]
    const findings = await Promise.all(hosts.map((host) => resolve(host, signal)))
    const unknown = hosts.filter((_, index) => findings[index]?.status === 'fail')
    const resolved = baseUrls.filter((baseUrl) => !unknown.includes(hostOf(baseUrl)))
    return { findings: failuresAsWarnings(findings), facts: { resolved: filled(resolved) } }
  },
})

/** The host of a URL, without the brackets of an IPv6 address. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
}

async function resolve(subject: string, signal: AbortSignal): Promise<Finding> {
  if (isIP(subject) !== 0) return { status: 'ok', subject, text: 'IP address, no lookup needed' }
  try {
    const addresses = await untilAborted(lookup(subject, { all: true }), signal)
    return { status: 'ok', subject, text: addresses.map(({ address }) => address).join(', ') }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
}

/** Details of the server certificate. The names are untrusted text. */
export type TlsPeer = ReturnType<typeof peerOf>

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

export async function openPlain(baseUrl: string, signal: AbortSignal): Promise<void> {
  const { port } = new URL(baseUrl)
  const socket = connect({ host: hostOf(baseUrl), port: Number(port || DEFAULT_PORTS['http:']) })
  await opened(socket, 'connect', signal, () => undefined)
}

/** Connects with the TLS settings of the exporter, but also accepts invalid certificates. */
export function openTls(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<TlsPeer> {
  return connectedTls(baseUrl, tls, signal, false)
}

/** Why the exporter refuses the certificate, in the words of OpenSSL; undefined if it accepts it. */
export function tlsRefusal(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<unknown> {
  return connectedTls(baseUrl, tls, signal, true).then(
    () => undefined,
    (failure: unknown) => failure,
  )
}

function connectedTls(
  baseUrl: string,
  tls: TlsConfig,
  signal: AbortSignal,
  rejectUnauthorized: boolean,
): Promise<TlsPeer> {
  const { port, protocol } = new URL(baseUrl)
  const host = hostOf(baseUrl)
  const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined)
  const socket = connectTls({
    host,
    port: Number(port || DEFAULT_PORTS[protocol]),
    rejectUnauthorized,
    ALPNProtocols: ['http/1.1'],
    servername,
    ca: readPem(tls.caFile),
    cert: readPem(tls.certFile),
    key: readPem(tls.keyFile),
  })
  return opened(socket, 'secureConnect', signal, () => peerOf(socket))
}

/** Waits for `event`, calls `inspect` and closes the socket. @throws the error of the socket, or the reason of the signal */
async function opened<T>(socket: Socket, event: string, signal: AbortSignal, inspect: () => T): Promise<T> {
  socket.on('error', () => undefined)
  try {
    await once(socket, event, { signal })
    return inspect()
  } catch (failure) {
    signal.throwIfAborted()
    throw failure
  } finally {
    socket.destroy()
  }
}

function peerOf(socket: TLSSocket) {
  const certificate = socket.getPeerCertificate(true)
  const { subject, issuer, subjectaltname, valid_to, fingerprint256 } = certificate
  const name = (of: Readonly<Record<string, unknown>> | undefined) => String(of?.['CN'] ?? of?.['O'] ?? '')
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    /** Common name or organization; empty if there is none. */
    subject: name({ ...subject }),
    issuer: name({ ...issuer }),
    /** SHA-256: `AB:CD:…`. */
    fingerprint: fingerprint256 ?? '',
    /** PEM; undefined if no certificate of the chain issued itself. */
    root: rootOf(certificate),
    /** `DNS:a, IP Address:1.2.3.4` */
    names: subjectaltname ?? '',
    notAfterMs: Date.parse(valid_to ?? ''),
    /** Undefined if it is valid. The type is Error, but the value is an error code. */
    refusal: socket.authorized ? undefined : String(socket.authorizationError),
  }
}

/** Node.js ends a chain with a certificate that is its own issuer, or without an issuer if that was not sent. */
function rootOf(certificate: DetailedPeerCertificate): string | undefined {
  const seen = new Set<DetailedPeerCertificate>()
  let last = certificate
  while (last.issuerCertificate !== undefined && !seen.has(last)) {
    seen.add(last)
    if (last.issuerCertificate.fingerprint256 === last.fingerprint256)
      return new X509Certificate(last.raw).toString()
    last = last.issuerCertificate
  }
  return undefined
}
