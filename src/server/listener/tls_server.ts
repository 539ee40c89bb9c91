import { constants, type X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { CLIENT_AUTH, secureContextOptions, type WebTls } from '../../config/web/tls.ts'
import type { HttpError } from '../../values/http_error.ts'
import { forbidden } from '../auth/request_check.ts'
import { connectionName } from './abuse/connections.ts'
import type { WebConfig } from './web_config.ts'

const SETTINGS_CHANGED = forbidden('the client certificate policy has changed, reconnect')

export type TlsServer = ReturnType<typeof createTlsServer>

/** A connection and the settings at its accept. */
interface Accepted {
  readonly socket: Socket
  readonly tls: WebTls
}

/** An HTTPS server that applies the current certificate, client CA and policy to each new connection. */
export function createTlsServer(
  web: WebConfig,
  tls: WebTls,
  options: ServerOptions,
  handshakeTimeout: number,
) {
  const server = createServer({
    ...options,
    ...contextOptions(tls),
    requestCert: CLIENT_AUTH[tls.clientAuth].requested,
    rejectUnauthorized: false,
    handshakeTimeout,
  })
  const accepted = new Map<string, Accepted>()
  let installed = tls
  // Must run before the listener of the TLS server, which uses the installed settings.
  server.prependListener('connection', (socket: Socket) => {
    const current = web().file.tls ?? installed
    if (current !== installed) install(server, current)
    installed = current
    const name = connectionName(socket)
    accepted.set(name, { socket, tls: current })
    socket.once('close', () => {
      // A new connection may have the same addresses.
      if (accepted.get(name)?.socket === socket) accepted.delete(name)
    })
  })
  /** The error of a request whose connection does not satisfy the current settings, or undefined. */
  function check(request: IncomingMessage, response: ServerResponse, current: WebTls): HttpError | undefined {
    const { socket } = request
    if (!(socket instanceof TLSSocket)) throw new TypeError('a request of a TLS server has a TLS socket')
    const known = accepted.get(connectionName(socket))?.tls
    if (known !== current) response.shouldKeepAlive = false
    if (known?.clientAuth !== current.clientAuth || known.clientCa !== current.clientCa)
      return SETTINGS_CHANGED
    return checkClientCertificate(current, socket)
  }
  return { server, check }
}

function contextOptions(tls: WebTls) {
  // A resumed session would keep a client certificate valid after it or its CA has expired or was removed.
  const secureOptions = CLIENT_AUTH[tls.clientAuth].requested ? constants.SSL_OP_NO_TICKET : 0
  return { ...secureContextOptions(tls), secureOptions }
}

function install(server: Server, tls: WebTls): void {
  server.setSecureContext(contextOptions(tls))
  // There is no setter, but the server reads this property for every new connection.
  Object.assign(server, { requestCert: CLIENT_AUTH[tls.clientAuth].requested })
}

const REQUIRED = forbidden('a client certificate is required')
const UNKNOWN = forbidden('the client certificate is not trusted')
const NOT_LISTED = forbidden('the client certificate is not in client_allowed_sans')

/**
 * Checks a connection against the client certificate policy. The handshake requests a certificate and proves that the
 * client has its key, but accepts every certificate, because the open paths need none. Only a certificate with an
 * invalid signature may end the handshake: OpenSSL can report it as a connection error.
 */
function checkClientCertificate(tls: WebTls, socket: TLSSocket): HttpError | undefined {
  const policy = CLIENT_AUTH[tls.clientAuth]
  if (!policy.requested) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return policy.required ? REQUIRED : undefined
  if (policy.verified && !socket.authorized) return UNKNOWN
  const isListed = tls.allowedSans?.some((name) => hasName(certificate, name)) ?? true
  return isListed ? undefined : NOT_LISTED
}

const ALTERNATIVE = { subject: 'never', wildcards: false } as const

/**
 * Whether a name is one of the alternative names. `checkHost` returns the name that it found, so hosts are compared in the
 * same case.
 */
function hasName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  if (certificate.checkHost(name, ALTERNATIVE) === name) return true
  if (certificate.checkEmail(name, ALTERNATIVE) === name) return true
  // Node.js escapes commas in names.
  return certificate.subjectAltName?.split(', ').includes(`URI:${name}`) ?? false
}
