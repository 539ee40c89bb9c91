import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import type { Middleware } from 'koa'
import { parseListenAddress, urlHost } from '../values/listen_address.ts'
import { createServer } from '../values/node_http.ts'
import { selfSigned } from './certificates.ts'
import { createFaults, faultMiddleware, type NamedPool } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/parse.ts'
import { createApp, type Service } from './http/app.ts'
import type { resolveOptions, TlsOptions } from './options.ts'

interface ServerOptions extends Service {
  readonly settings: ReturnType<typeof resolveOptions>
  readonly pools: readonly NamedPool[]
  /** Data addresses of nodes, on which it listens, too. */
  readonly dataAddresses?: readonly string[]
  /** Runs for requests that no fault answers. */
  readonly middleware?: Middleware
}

/** A listener that answers as a storage system, with faults. @throws RangeError for an invalid fault */
export function createSystemServer(options: ServerOptions) {
  const { settings, pools, sessions, middleware, dataAddresses = [] } = options
  const { clock } = settings
  const faults = createFaults(pools, () => Math.floor(clock() / 1_000), sessions.limitUses)
  const setFaults = (list: readonly (string | Fault)[]): void =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const listener = createListener(settings.listenAddress, settings.tls, dataAddresses)
  const app = createApp(options, [
    ...(settings.middleware === undefined ? [] : [settings.middleware]),
    faultMiddleware(faults, clock, listener.stopping),
    ...(middleware === undefined ? [] : [middleware]),
  ])
  return {
    /** Base URL, such as `http://127.0.0.1:4443`; empty while it is not listening. */
    get url(): string {
      return listener.url()
    },
    /** Number of valid tokens of a user that were created by logins. */
    liveSessions: sessions.live,
    /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
    setFaults,
    start: (): Promise<void> => listener.open(app.callback()),
    /** Also destroys the connections that are open. */
    stop: listener.close,
  }
}

/**
 * A socket that can be opened and closed repeatedly.
 * @param others further addresses to listen on, at the same port
 */
function createListener(listenAddress: string, tls: boolean | TlsOptions, others: readonly string[]) {
  const address = parseListenAddress(listenAddress)
  const sockets = new Set<Socket>()
  let servers: Server[] = []
  let stopping = new AbortController()
  return {
    /** Empty while it is closed. */
    url: (): string => {
      const [server] = servers
      return server === undefined ? '' : urlOf(server.address() as AddressInfo, tls !== false)
    },
    /** Aborted by `close`. */
    stopping: (): AbortSignal => stopping.signal,
    /** @throws the operating system's error, such as EADDRINUSE */
    open: async (onRequest: RequestListener): Promise<void> => {
      stopping = new AbortController()
      const names = [...new Set(['localhost', '127.0.0.1', '::1', address.host ?? 'localhost'])]
      const settings = tls === true ? await selfSigned({ names }) : tls
      const listen = async (at: ListenOptions): Promise<Server> => {
        const opened =
          typeof settings === 'object' ? createTlsServer(settings, onRequest) : createServer(onRequest)
        opened.on('connection', (socket: Socket) => {
          sockets.add(socket)
          // Faults break connections on purpose: their errors are ignored.
          socket.on('error', () => undefined)
          socket.on('close', () => sockets.delete(socket))
        })
        await once(opened.listen(at), 'listening')
        servers.push(opened)
        return opened
      }
      const { port } = (await listen({ ...address })).address() as AddressInfo
      await Promise.all(others.map((host) => listen({ host, port })))
    },
    /** Also destroys all open connections. */
    close: async (): Promise<void> => {
      stopping.abort()
      const closed = servers.map((one) => new Promise<unknown>((resolve) => one.close(resolve)))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
      servers = []
    },
  }
}

function urlOf({ address, port }: AddressInfo, isSecure: boolean): string {
  return `${isSecure ? 'https' : 'http'}://${urlHost(address)}:${port}`
}
