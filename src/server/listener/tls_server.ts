import { constants, type X509Certificate } from 'node:crypto'
import type { ServerOptions, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { CLIENT_AUTH, secureContextOptions, type WebTls } from '../../config/web_file.ts'
import type { HttpError } from '../../values/http_error.ts'
import { forbidden } from '../auth/request_check.ts'
import type { WebConfig } from './web_config.ts'

const SETTINGS_CHANGED = forbidden('the client certificate policy has changed, reconnect')

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
  /** The settings at the accept of each connection. */
  const settings = new WeakMap<Socket, WebTls>()
  let installed = tls
  // Must run before the listener of the TLS server, which uses the installed settings.
  server.prependListener('connection', (socket: Socket) => {
    const current = web().file.tls ?? installed
    if (current !== installed) install(server, current)
    installed = current
    settings.set(socket, current)
  })
  /**
   * The error of a request whose connection does not satisfy the current settings, or undefined.
   * @param accepted the connection below TLS; undefined if it is closed
   */
  function checkTls(
    response: ServerResponse,
    accepted: Socket | undefined,
    current: WebTls,
  ): HttpError | undefined {
    const { socket } = response.req
    if (!(socket instanceof TLSSocket)) throw new TypeError('a request of a TLS server has a TLS socket')
    const known = accepted && settings.get(accepted)
    if (known !== current) response.shouldKeepAlive = false
    if (known?.clientAuth !== current.clientAuth || known.clientCa !== current.clientCa)
      return SETTINGS_CHANGED
    return checkClientCertificate(current, socket)
  }
  return { server, checkTls }
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

/** Whether a name is an alternative name. `checkHost` returns what it found, so the case is the same. */
function hasName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined
  if (certificate.checkHost(name, ALTERNATIVE) === name) return true
  if (certificate.checkEmail(name, ALTERNATIVE) === name) return true
  // Node.js escapes commas in names.
  return certificate.subjectAltName?.split(', ').includes(`URI:${name}`) ?? false
}
