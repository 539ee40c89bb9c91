import { createPermits } from '../api/http/permits.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { createOwnMetrics } from '../metrics/own.ts'
import { createBoard } from '../poller/board.ts'
import { createPoller } from '../poller/poller.ts'
import { parseListenAddress } from '../server/listener/listen_address.ts'
import { createListener, type Listener } from '../server/listener/listener.ts'
import { createMetricsApp, OPEN_PATHS } from '../server/metrics/metrics_app.ts'
import { createRecent } from '../status/recent.ts'
import { type Admin, type AdminOptions, createAdmin } from './admin.ts'
import { createReloader } from './reloader.ts'

export interface ExporterOptions {
  /** Reads and checks the configuration, at start and at every reload. @throws when it is invalid */
  readonly load: () => Config
  /** The file that `load` reads, for warnings. */
  readonly configFile?: string
  readonly version: string
  readonly listenAddress: string
  readonly webConfigFile?: string
  /** Further host names of the listener for metrics. Undefined: all names are accepted. */
  readonly allowedHosts?: readonly string[]
  /** Responses with metrics in flight; further requests are answered 503. 0: unlimited. Default: 20. */
  readonly maxRequests?: number
  /** Whether `POST /-/reload` is served. */
  readonly lifecycle: boolean
  /** The listener for provider administration; undefined: disabled. */
  readonly admin?: AdminOptions | undefined
  readonly log: Log
}

/** The poller, the listener for metrics and, if enabled, the listener for provider administration. */
export interface Exporter {
  /** The URL of the listener for metrics, once started. */
  readonly url: string
  /** The URL of the listener for administration, once started; undefined when it is disabled. */
  readonly adminUrl: string | undefined
  /** @throws when the configuration is invalid or an address cannot be bound */
  start(): Promise<void>
  /** Loads and applies the configuration; rejects without a change when it is invalid. */
  reload(): Promise<void>
  /** Resolves when polls, open requests and sessions have ended. */
  stop(): Promise<void>
}

export function createExporter(options: ExporterOptions): Exporter {
  const { load, configFile, log, version } = options
  const own = createOwnMetrics({ version, nodeVersion: process.version })
  const recent = createRecent()
  const board = createBoard(own.series, recent)
  const decoding = createPermits(1)
  const poller = createPoller({ board, own, log, decoding, onRequest: recent.requested })
  const admin = options.admin && createAdmin(options.admin, { ready: poller.ready, decoding, log })
  const apply = async (config: Config) => {
    await admin?.use(config)
    await poller.use(config)
  }
  const reloader = createReloader({ load, configFile, apply, own, log })
  const statusSources = { version, systems: board.systems, polling: poller.status, recent, now: Date.now }
  const app = createMetricsApp({
    page: board.page,
    own,
    probes: { systems: board.systems, probe: poller.probe },
    maxRequests: options.maxRequests,
    ready: poller.ready,
    reload: options.lifecycle ? reloader.reload : undefined,
    status: { ...statusSources, adminUrl: () => admin?.url },
    origin: {
      listenHost: parseListenAddress(options.listenAddress).host,
      allowedHosts: options.allowedHosts,
    },
    log,
  })
  const listener = createListener({
    address: options.listenAddress,
    handler: app.callback(),
    openPaths: OPEN_PATHS,
    log,
    ...(options.webConfigFile !== undefined && { webConfigFile: options.webConfigFile }),
  })

  return {
    get url() {
      return listener.url
    },
    get adminUrl() {
      return admin?.url
    },
    async start() {
      // Listen before the first login, so that a port in use fails without opening a session.
      const config = load()
      await startListeners(listener, admin, log)
      await reloader.apply(config)
    },
    reload: reloader.reload,
    async stop() {
      await reloader.stop()
      await Promise.all([poller.stop(), listener.stop(), admin?.stop()])
    },
  }
}

async function startListeners(listener: Listener, admin: Admin | undefined, log: Log): Promise<void> {
  await listener.start()
  log.info('listening', { url: listener.url })
  try {
    await admin?.start()
  } catch (failure) {
    // An open listener would keep the process running after the failed start.
    await listener.stop()
    throw failure
  }
}
