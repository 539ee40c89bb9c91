import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import type { Middleware } from 'koa'
import { parseListenAddress, urlHost } from '../values/listen_address.ts'
import { createServer } from '../values/node_http.ts'
import { selfSigned } from './certificates.ts'
import { createFaults, faultMiddleware, type NamedPool } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/table.ts'
import { createApp, type Service } from './http/app.ts'
import type { Settings, TlsOptions } from './options.ts'

interface ServerOptions extends Service {
  readonly settings: Settings
  readonly pools: readonly NamedPool[]
  /** Data addresses of nodes, on which it listens, too. */
  readonly dataAddresses?: readonly string[]
  /** Runs for requests that no fault answers. */
  readonly middleware?: Middleware
}

/** A listener that answers as a storage system, with faults. @throws RangeError for an invalid fault */
export function createSystemServer(options: ServerOptions) {
  const { settings, pools, sessions, middleware, dataAddresses = [] } = options
  const { clock, tls } = settings
  const address = parseListenAddress(settings.listenAddress)
  let stopping = new AbortController()
  let servers: readonly OpenServer[] = []
  const faults = createFaults(pools, () => Math.floor(clock() / 1_000), sessions.limitUses)
  const setFaults = (list: readonly (string | Fault)[]): void =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const app = createApp(options, [
    ...(settings.middleware === undefined ? [] : [settings.middleware]),
    faultMiddleware(faults, clock, () => stopping.signal),
    ...(middleware === undefined ? [] : [middleware]),
  ])
  /** Also destroys the connections that are open. */
  const stop = async (): Promise<void> => {
    stopping.abort()
    await Promise.all(servers.map(({ close }) => close()))
    servers = []
  }
  return {
    /** Base URL, such as `http://127.0.0.1:4443`; empty while it is not listening. */
    get url(): string {
      const { address: host, port } = servers[0]?.address ?? {}
      return host === undefined ? '' : `${tls === false ? 'http' : 'https'}://${urlHost(host)}:${port}`
    },
    /** Number of valid tokens of a user that were created by logins. */
    liveSessions: sessions.live,
    /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
    setFaults,
    /** @throws the operating system's error, such as EADDRINUSE */
    start: async (): Promise<void> => {
      stopping = new AbortController()
      const names = [...new Set(['localhost', '127.0.0.1', '::1', address.host ?? 'localhost'])]
      const secure = tls === true ? await selfSigned({ names }) : tls
      const open = async (at: ListenOptions) => {
        const opened = await listen(at, secure, app.callback())
        servers = [...servers, opened]
        return opened.address
      }
      const { port } = await open({ ...address })
      await Promise.all(dataAddresses.map((host) => open({ host, port })))
    },
    stop,
  }
}

type OpenServer = Awaited<ReturnType<typeof listen>>

async function listen(at: ListenOptions, tls: TlsOptions | false, onRequest: RequestListener) {
  const sockets = new Set<Socket>()
  const server = tls === false ? createServer(onRequest) : createTlsServer(tls, onRequest)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    // Faults break connections on purpose: their errors are ignored.
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server.listen(at), 'listening')
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { address: server.address() as AddressInfo, close }
}
