import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import type { Middleware } from 'koa'
import { MS_PER_SECOND } from '../time_units.ts'
import { parseListenAddress, urlHost } from '../values/listen_address.ts'
import { createServer } from '../values/node_http.ts'
import { selfSigned } from './certificates.ts'
import { createFaults, faultMiddleware, type NamedPool } from './faults/middleware.ts'
import { parseFault } from './faults/table.ts'
import { createApp, type Service } from './http/app.ts'
import { createProviders } from './http/providers.ts'
import { createSessions } from './http/sessions.ts'
import { createModel, STATISTICS_INTERVAL_SECONDS } from './model/model.ts'
import { SCENARIOS, type Scenario, type ScenarioRow, type Timeline } from './model/scenarios.ts'
import { type EmulatorOptions, resolveOptions, type TlsOptions } from './options.ts'
import { createCounters } from './query/counters.ts'

export type Emulator = ReturnType<typeof createEmulator>

/** Creates a storage system; only `start` opens a port. @throws RangeError for invalid options */
export function createEmulator(options: EmulatorOptions = {}) {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MS_PER_SECOND)
  const model = createModel(settings, now())
  const sessions = createSessions(settings.clock)
  const system = {
    ...settings,
    model,
    providers: createProviders(model.key),
    counters: createCounters(model),
  }
  const server = createSystemServer({
    settings,
    pools: model.pools,
    sessions,
    dataAddresses: settings.dataPorts
      ? model.pools.flatMap(({ nodes }) => nodes.map(({ dataAddress }) => dataAddress))
      : [],
    handle: ({ row }, request) => row.handle({ ...system, ...request }),
    redirectsToLogin: settings.profile !== 'documented',
    middleware: delayDashboard(model.timeline),
  })
  return Object.assign(server, {
    /** With the names of their nodes. */
    pools: model.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    /**
     * Switches to another scenario, from the start of the current five minutes or from `from` on (epoch seconds);
     * `-Infinity` also replaces the whole past.
     * @param firstNode index of the node of each pool that the scenario treats as the first one
     */
    setScenario: (scenario: Scenario, from = now() - (now() % STATISTICS_INTERVAL_SECONDS), firstNode = 0) =>
      model.timeline.switchTo(scenario, now(), from, firstNode),
  })
}

function delayDashboard({ current }: Timeline): Middleware {
  return async ({ path }, next) => {
    const { responseDelayMs = 0 }: ScenarioRow = SCENARIOS[current()]
    const ms = path.startsWith('/dashboard/') ? responseDelayMs : 0
    // By the clock of global timers, which tests move.
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref())
    await next()
  }
}

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
  const { clock, tls } = settings
  const address = parseListenAddress(settings.listenAddress)
  let stopping = new AbortController()
  let servers: readonly OpenServer[] = []
  const faults = createFaults(pools, () => Math.floor(clock() / MS_PER_SECOND), sessions.limitUses)
  const setFaults = (list: readonly string[]): void => faults.set(list.map(parseFault))
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
    /** Replaces the active faults, in the format of the command line. @throws RangeError for invalid text */
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
