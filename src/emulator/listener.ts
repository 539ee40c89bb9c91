import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { parseListenAddress, urlHost } from '../values/listen_address.ts'
import { createServer } from '../values/node_http.ts'
import { selfSigned } from './certificates.ts'
import type { TlsOptions } from './options.ts'

/** A socket that can be opened and closed repeatedly. */
export function createListener(listenAddress: string, tls: boolean | TlsOptions) {
  const address = parseListenAddress(listenAddress)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let stopping = new AbortController()
  return {
    /** Empty while it is closed. */
    url: (): string => (server === undefined ? '' : urlOf(server.address() as AddressInfo, tls !== false)),
    /** Aborted by `close`. */
    stopping: (): AbortSignal => stopping.signal,
    /** @throws the operating system's error, such as EADDRINUSE */
    open: async (onRequest: RequestListener): Promise<void> => {
      stopping = new AbortController()
      const names = [...new Set(['localhost', '127.0.0.1', '::1', address.host ?? 'localhost'])]
      const settings = tls === true ? await selfSigned({ names }) : tls
      const opened =
        typeof settings === 'object' ? createTlsServer(settings, onRequest) : createServer(onRequest)
      opened.on('connection', (socket: Socket) => {
        sockets.add(socket)
        // Faults break connections on purpose: their errors are ignored.
        socket.on('error', () => undefined)
        socket.on('close', () => sockets.delete(socket))
      })
      await once(opened.listen({ ...address }), 'listening')
      server = opened
    },
    /** Also destroys all open connections. */
    close: async (): Promise<void> => {
      stopping.abort()
      const closed = new Promise<unknown>((resolve) => server?.close(resolve) ?? resolve(undefined))
      for (const socket of sockets) socket.destroy()
      await closed
      server = undefined
    },
  }
}

function urlOf({ address, port }: AddressInfo, isSecure: boolean): string {
  return `${isSecure ? 'https' : 'http'}://${urlHost(address)}:${port}`
}
