import { constants } from 'node:crypto'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { secureContextOptions, type WebTls } from '../../config/web/tls.ts'
import { CLIENT_AUTH } from '../../config/web/tls_names.ts'
import { checkClientCertificate } from '../auth/client_certificate.ts'
import type { Refusal } from '../auth/refusal.ts'
import type { WebConfig } from './web_config.ts'

const SETTINGS_CHANGED: Refusal = {
  status: 403,
  text: 'forbidden: the rules for client certificates changed, connect again',
  isLast: true,
}

export interface TlsServer {
  readonly server: Server
  /** Judges the connection of a request by the settings as they are now. */
  check(request: IncomingMessage, response: ServerResponse, tls: WebTls): Refusal | undefined
}

/** A connection, and the settings under which it began. */
interface Accepted {
  readonly socket: Socket
  readonly tls: WebTls
}

/** An HTTPS server whose certificate, client CA and policy follow the web configuration, connection by connection. */
export function createTlsServer(
  web: WebConfig,
  tls: WebTls,
  options: ServerOptions,
  handshakeTimeout: number,
): TlsServer {
  const server = createServer({
    ...options,
    ...contextOptions(tls),
    requestCert: CLIENT_AUTH[tls.clientAuth].asked,
    rejectUnauthorized: false,
    handshakeTimeout,
  })
  const accepted = new Map<string, Accepted>()
  let installed = tls
  // before the TLS server's own listener, which takes the settings that it finds
  server.prependListener('connection', (socket: Socket) => {
    const current = web().file.tls ?? installed
    if (current !== installed) install(server, current)
    installed = current
    const name = connectionName(socket)
    accepted.set(name, { socket, tls: current })
    socket.once('close', () => {
      // the addresses may belong to the next connection already
      if (accepted.get(name)?.socket === socket) accepted.delete(name)
    })
  })
  const check: TlsServer['check'] = (request, response, current) => {
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
  // A resumed session would carry a certificate past its end, or past the client CA that signed it.
  const secureOptions = CLIENT_AUTH[tls.clientAuth].asked ? constants.SSL_OP_NO_TICKET : 0
  return { ...secureContextOptions(tls), secureOptions }
}

function install(server: Server, tls: WebTls): void {
  server.setSecureContext(contextOptions(tls))
  // No method sets this one, but the server looks at it for every new connection.
  Object.assign(server, { requestCert: CLIENT_AUTH[tls.clientAuth].asked })
}

/** A TLS socket does not tell the socket beneath it; both tell the addresses, which no two open connections share. */
function connectionName({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}
