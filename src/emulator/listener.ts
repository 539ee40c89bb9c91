import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { parseListenAddress, type TlsOptions } from './options.ts'

/** A listening socket. Closing it destroys all open connections. */
export interface Listener {
  readonly url: string
  readonly close: () => Promise<void>
}

/** @throws the operating system's error, such as EADDRINUSE */
export async function listen(
  listenAddress: string,
  tls: TlsOptions | undefined,
  onRequest: RequestListener,
): Promise<Listener> {
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tlsSettings(tls), onRequest)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    // Faults break connections on purpose: their errors are ignored.
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const { host, port } = parseListenAddress(listenAddress)
  await listening(server, host, port)
  return {
    url: urlOf(server.address() as AddressInfo, tls !== undefined),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function tlsSettings({ key, cert, ca, maxVersion, requireClientCertificate = false }: TlsOptions) {
  return {
    key,
    cert,
    ...(ca === undefined ? {} : { ca }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
    requestCert: requireClientCertificate,
    rejectUnauthorized: requireClientCertificate,
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf({ address, family, port }: AddressInfo, secure: boolean): string {
  const isWildcard = address === '0.0.0.0' || address === '::'
  const host = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `${secure ? 'https' : 'http'}://${host}:${port}`
}
