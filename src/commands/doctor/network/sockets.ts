import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { TlsConfig } from '../../../config/config.ts'
import { hostOf } from './names.ts'

/** What a TLS connection tells about the other side. Names are foreign text. */
export interface TlsPeer {
  readonly protocol: string
  /** Common name of the owner and of the issuer; empty where there is none. */
  readonly subject: string
  readonly issuer: string
  /** `DNS:a, IP Address:1.2.3.4` */
  readonly names: string
  readonly notAfterMs: number
  /** Why the exporter would refuse the certificate, as Node.js calls it; undefined: it would not. */
  readonly refusal: string | undefined
}

export async function openPlain(baseUrl: string, signal: AbortSignal): Promise<void> {
  const { port } = new URL(baseUrl)
  const socket = connect({ host: hostOf(baseUrl), port: Number(port || 80) })
  await opened(socket, 'connect', signal, () => undefined)
}

/** Connects as the exporter does, but looks at a bad certificate instead of hanging up. */
export function openTls(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<TlsPeer> {
  const { port } = new URL(baseUrl)
  const host = hostOf(baseUrl)
  const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined)
  const socket = connectTls({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(servername !== undefined && { servername }),
    ...pems({ ca: tls.caFile, cert: tls.certFile, key: tls.keyFile }),
  })
  return opened(socket, 'secureConnect', signal, () => peerOf(socket))
}

function pems(files: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, file]) =>
      file === undefined ? [] : [[name, readFileSync(file, 'utf8')]],
    ),
  )
}

/** Waits for a socket to open, and closes it. */
async function opened<T>(socket: Socket, event: string, signal: AbortSignal, look: () => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = () => reject(signal.reason)
  socket.once(event, () => resolve())
  socket.on('error', reject)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  try {
    await promise
    return look()
  } finally {
    signal.removeEventListener('abort', leave)
    socket.destroy()
  }
}

function peerOf(socket: TLSSocket): TlsPeer {
  const { subject, issuer, subjectaltname, valid_to } = socket.getPeerCertificate()
  const name = (of: Readonly<Record<string, unknown>> | undefined) => String(of?.['CN'] ?? of?.['O'] ?? '')
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    subject: name({ ...subject }),
    issuer: name({ ...issuer }),
    names: subjectaltname ?? '',
    notAfterMs: Date.parse(valid_to ?? ''),
    // Typed as an error, and in fact the code of one.
    refusal: socket.authorized ? undefined : String(socket.authorizationError),
  }
}
