import type { RequestListener } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { createAudit } from '../administration/audit.ts'
import { createHttpLimits, type HttpLimits } from '../api/http/transport.ts'
import { createSemaphore } from '../api/http/waiting.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/values/problems.ts'
import type { Log } from '../log.ts'
import { createOwnMetrics, type OwnMetrics } from '../metrics/own.ts'
import { createPush } from '../otlp/push.ts'
import { createPoller } from '../readings/poller.ts'
import { type AdminAppOptions, createAdminApp } from '../server/admin/app.ts'
import { createAdminSystems } from '../server/admin/systems.ts'
import { createListener, type Listener } from '../server/listener/listener.ts'
import { createMetricsApp } from '../server/metrics/metrics_app.ts'
import { createStateStore } from '../state/store.ts'
import { createRecent } from '../status/recent.ts'
import { namesText } from '../text.ts'
import { errorText } from '../values/errors.ts'
import { hostsOf, isLoopback } from '../values/listen_address.ts'
import { logRisks, removedSystems, risksOf } from './risks.ts'

export interface ExporterOptions {
  /** Reads and checks the configuration, at start and at every reload. @throws when it is invalid */
  readonly load: () => Config
  /** The file that `load` reads, for warnings. */
  readonly configFile?: string | undefined
  readonly version: string
  /** Where the documentation is published, for a link. */
  readonly documentationUrl?: string | undefined
  /** One address or several. */
  readonly listenAddress: string | readonly string[]
  readonly webConfigFile?: string | undefined
  /** The path of the metrics. Default: `/metrics`. */
  readonly metricsPath?: string | undefined
  /** Further host names of the listener for metrics. Undefined: all names are accepted. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Responses with metrics in flight; the response to further requests is 503. 0: unlimited. Default: 20. */
  readonly maxRequests?: number
  /** Undefined: the configuration is loaded again on request only. */
  readonly autoReload?: AutoReloadOptions | undefined
  readonly lifecycle: boolean
  /** The listener for provider administration; undefined: disabled. */
  readonly admin?: AdminOptions | undefined
  /** Clock of /history, in milliseconds since the epoch. Default: that of the process. */
  readonly historyClock?: () => number
  readonly log: Log
}

/** The poller, the listener for metrics and, if enabled, the listener for provider administration. */
export type Exporter = ReturnType<typeof createExporter>

export function createExporter(options: ExporterOptions) {
  const { log, load, configFile, version, historyClock: now = Date.now } = options
  const own = createOwnMetrics({ version, nodeVersion: process.version })
  const recent = createRecent()
  const failed = (failure: unknown) => log.error(NO_EXPOSITION, { error: String(failure) })
  const store = createStateStore({ ...recent, published: own.series, failed })
  const httpLimits = createHttpLimits()
  const poller = createPoller({ store, own, log, httpLimits, onRequest: recent.requested, now })
  const { probe, history, status: polling } = poller
  const push = createPush({ exposition: store.exposition, own, version, log })
  const context = { ready: poller.ready, httpLimits, log, statusUrl: () => listeners[0]?.url }
  const admin = options.admin && createAdmin(options.admin, context)
  let alerting: Config['alerting']
  const apply = async (config: Config) => {
    await admin?.use(config)
    await poller.use(config)
    await push.use(config.otlp)
    alerting = config.alerting
  }
  const reloader = createReloader({ load, configFile, apply, own, log, auto: options.autoReload })
  const app = createMetricsApp({
    exposition: store.exposition,
    own,
    probes: { systems: store.systems, probe, history },
    maxRequests: options.maxRequests,
    ready: poller.ready,
    reload: options.lifecycle ? reloader.reload : undefined,
    status: {
      ...{ version, systems: store.systems, polling, recent, push: push.status, now: Date.now },
      alerting: () => alerting,
      adminUrl: () => admin?.url,
      documentationUrl: options.documentationUrl,
    },
    origin: { listenHosts: hostsOf([options.listenAddress].flat()), allowedHosts: options.allowedHosts },
    metricsPath: options.metricsPath,
    log,
  })
  const listeners = createListeners(options, app)
  return {
    /** The URL of the first listener for metrics, once started. */
    get url(): string {
      return listeners[0]?.url ?? ''
    },
    /** The URL of the listener for administration, once started; undefined when it is disabled. */
    get adminUrl(): string | undefined {
      return admin?.url
    },
    /** Listens before the first login, so that a port in use fails without opening a session. */
    start(): Promise<void> {
      log.info('starting sds-exporter', { version, node: process.versions.node })
      return reloader.start(() => startListeners(listeners, admin, log))
    },
    /** Loads and applies the configuration; rejects without a change when it is invalid. */
    reload: reloader.reload,
    /** Resolves when polls, open requests and sessions have ended. */
    async stop(): Promise<void> {
      await reloader.stop()
      await Promise.all([push.stop(), poller.stop(), stopAll(listeners), admin?.stop()])
    },
  }
}

function createListeners(
  { listenAddress, webConfigFile, log }: ExporterOptions,
  handler: RequestListener,
): readonly Listener[] {
  const shared = { flag: '--web.listen-address', handler, acceptsBodies: false, log, webConfigFile }
  return [listenAddress].flat().map((address) => createListener({ ...shared, address }))
}

const NO_EXPOSITION = 'internal error: the exposition could not be made, please report this'

async function startListeners(
  listeners: readonly Listener[],
  admin: Admin | undefined,
  log: Log,
): Promise<void> {
  try {
    for (const listener of listeners) await listener.start()
    for (const { url } of listeners) log.info('listening', { url })
    await admin?.start()
  } catch (failure) {
    // An open listener would keep the process running after the failed start.
    await stopAll(listeners)
    throw failure
  }
}

async function stopAll(listeners: readonly Listener[]): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.stop()))
}

export interface AdminOptions {
  readonly listenAddress: string
  readonly configFile?: string | undefined
  readonly allowedHosts: readonly string[]
}

type Admin = ReturnType<typeof createAdmin>

type AdminContext = Pick<AdminAppOptions, 'ready' | 'statusUrl' | 'log'> & { readonly httpLimits: HttpLimits }

function createAdmin({ listenAddress, configFile, allowedHosts }: AdminOptions, context: AdminContext) {
  const { log } = context
  const systems = createAdminSystems(log, context.httpLimits)
  const listenHosts = hostsOf([listenAddress])
  const origin = { listenHosts, allowedHosts }
  const handler = createAdminApp({ ...context, systems, audit: createAudit(log), origin })
  const listener = createListener({
    address: listenAddress,
    flag: '--admin.listen-address',
    handler,
    log,
    webConfigFile: configFile,
  })
  return {
    /** Available after start(). */
    get url(): string {
      return listener.url
    },
    use: systems.use,
    /** @throws when the address cannot be bound */
    async start(): Promise<void> {
      await listener.start()
      log.info('listening for provider administration', { url: listener.url })
      if (!isLoopback(listenHosts[0]) && !listener.url.startsWith('https:')) {
        log.warn(
          'administration is served without TLS to other machines: tokens and passwords are sent unencrypted. ' +
            'Set --admin.config.file, or listen on 127.0.0.1',
          { address: listenAddress },
        )
      }
    },
    async stop(): Promise<void> {
      await listener.stop()
      await systems.close()
    },
  }
}

interface AutoReloadOptions {
  /** Whether a file that the last load read has changed, also if that load failed. */
  readonly hasChanged: () => boolean
  readonly intervalMs: number
}

interface ReloaderOptions {
  /** Reads and checks the configuration. @throws when it is invalid */
  readonly load: () => Config
  /** For warnings; undefined if the configuration is not from a file. */
  readonly configFile: string | undefined
  /** Replaces the running configuration. */
  readonly apply: (config: Config) => Promise<void>
  readonly own: OwnMetrics
  readonly log: Log
  /** Undefined: the configuration is loaded on request only. */
  readonly auto: AutoReloadOptions | undefined
}

/** Loads and applies configurations, one at a time. Reports the result as metrics and log lines. */
function createReloader(options: ReloaderOptions) {
  const { load, configFile, apply, own, log, auto } = options
  const queue = createSemaphore(1)
  let waiting: Promise<void> | undefined
  let hasStopped = false
  let timer: NodeJS.Timeout | undefined
  let names: readonly string[] = []

  async function use(config: Config): Promise<void> {
    logRisks(risksOf(config, configFile), log)
    await apply(config)
    names = config.systems.map(({ name }) => name)
    own.reloaded(true, Date.now() / 1000)
  }

  async function loadNext(): Promise<void> {
    // Requests are answered between two reloads, and calls of the same turn share one.
    await setImmediate()
    waiting = undefined
    if (hasStopped) throw new Error('the exporter is being stopped')
    const config = loadOrReport(options)
    const before = names
    await use(config)
    logReload(before, names, log)
  }

  function reload(): Promise<void> {
    waiting ??= queue.run(loadNext)
    return waiting
  }

  function reloadIfChanged(): void {
    if (auto?.hasChanged() !== true) return
    log.debug('a file of the configuration has changed')
    reload().catch(() => undefined)
  }

  return {
    /** @param open called with a valid configuration, before the first request to a system */
    async start(open: () => Promise<void>): Promise<void> {
      await queue.run(async () => {
        const config = load()
        await open()
        await use(config)
      })
      if (auto !== undefined) timer = setInterval(reloadIfChanged, auto.intervalMs).unref()
    },
    /** Rejects without a change when the configuration is invalid. Calls that arrive while one waits get its result. */
    reload,
    /** Rejects the waiting reload; resolves when the current one has ended. */
    async stop(): Promise<void> {
      hasStopped = true
      clearInterval(timer)
      await queue.run(async () => undefined)
    },
  }
}

function loadOrReport({ load, own, log }: ReloaderOptions): Config {
  try {
    return load()
  } catch (failure) {
    own.reloaded(false, Date.now() / 1000)
    const error = failure instanceof ConfigError ? failure.summary() : errorText(failure)
    log.error('configuration rejected', { error })
    throw failure
  }
}

const MAX_LISTED = 10

function logReload(before: readonly string[], now: readonly string[], log: Log): void {
  const listed = (names: readonly string[]) => namesText(names, String, MAX_LISTED) || undefined
  const removed = removedSystems(before, now)
  const added = now.filter((name) => !before.includes(name))
  log.info('configuration reloaded', {
    systems: now.length,
    added: listed(added),
    removed: listed(removed.map(({ system }) => system)),
  })
  logRisks(removed, log)
}
