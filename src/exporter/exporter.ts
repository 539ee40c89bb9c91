import type { Config } from '../config/config.ts'
import { isReadableByOthers } from '../config/values/files.ts'
import type { Log } from '../log.ts'
import { createOwnMetrics } from '../metrics/own.ts'
import { createBoard } from '../poller/board.ts'
import { createPoller } from '../poller/poller.ts'
import { createListener } from '../server/listener/listener.ts'
import { createMetricsApp, OPEN_PATHS } from '../server/metrics/metrics_app.ts'
import { type AdminOptions, createAdmin } from './admin.ts'
import { CLOSE_FILE, exposedUrls, secretFiles } from './risks.ts'

export interface ExporterOptions {
  /** Gives the configuration, at start and at every reload. */
  readonly load: () => Config
  readonly version: string
  readonly listenAddress: string
  readonly webConfigFile?: string
  /** Whether `POST /-/reload` is served. */
  readonly lifecycle: boolean
  /** The administration of providers; undefined: off. */
  readonly admin?: AdminOptions | undefined
  readonly log: Log
}

/** The exporter, wired. */
export interface Exporter {
  /** The URL of the first listener, once started. */
  readonly url: string
  /** The URL of the administration, once started; undefined where it is off. */
  readonly adminUrl: string | undefined
  /** @throws when the configuration is bad or the address cannot be listened on */
  start(): Promise<void>
  /** Loads the configuration again; rejects with the reason, and everything stays as it was. */
  reload(): Promise<void>
  /** Ends polls, answers and sessions; resolves when nothing of it is left. */
  stop(): Promise<void>
}

export function createExporter(options: ExporterOptions): Exporter {
  const { load, log, version } = options
  const own = createOwnMetrics({ version, nodeVersion: process.version })
  const board = createBoard(own.series)
  const poller = createPoller({ board, own, log })
  const admin = options.admin && createAdmin(options.admin, poller.ready, log)
  const changes = oneAtATime()

  /** Nothing is touched before the whole file was found good. */
  const reload = () =>
    changes.ask(async () => {
      await use(load)
      log.info('configuration loaded again', { systems: board.systems().length })
    })

  async function use(source: () => Config): Promise<void> {
    let config: Config
    try {
      config = source()
    } catch (failure) {
      own.reloaded(false, Date.now() / 1000)
      log.error('configuration refused', {
        error: failure instanceof Error ? failure.message : String(failure),
      })
      throw failure
    }
    warnOfRisks(config, log)
    await admin?.use(config)
    await poller.use(config)
    own.reloaded(true, Date.now() / 1000)
  }

  const app = createMetricsApp({
    page: board.page,
    own,
    ready: poller.ready,
    reload: options.lifecycle ? reload : undefined,
    landing: { version, systems: board.systems },
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
      // Listening first: a port in use must not cost a login, and a probe must find somebody.
      const first = load()
      await listener.start()
      log.info('listening', { url: listener.url })
      try {
        await admin?.start()
      } catch (failure) {
        // Otherwise the first listener would keep a program alive that did not start.
        await listener.stop()
        throw failure
      }
      await changes.ask(() => use(() => first))
    },
    reload,
    async stop() {
      await changes.end()
      await Promise.all([poller.stop(), listener.stop(), admin?.stop()])
    },
  }
}

const STOPPING = 'the exporter is being stopped'

/** Runs tasks of one kind one after the other. A task that still waits stands for all that are asked for meanwhile. */
function oneAtATime() {
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let ended = false

  function ask(task: () => Promise<void>): Promise<void> {
    if (ended) return Promise.reject(new Error(STOPPING))
    waiting ??= running.then(() => {
      waiting = undefined
      if (ended) throw new Error(STOPPING)
      const run = task()
      running = run.catch(() => undefined)
      return run
    })
    return waiting
  }

  async function end(): Promise<void> {
    ended = true
    await running
  }
  return { ask, end }
}

function warnOfRisks(config: Config, log: Log): void {
  if (config.history.enabled) log.warn('history.enabled is set, but this version does not serve /history yet')
  for (const system of config.systems) {
    if (system.tls.insecureSkipVerify) {
      log.warn('TLS certificates of this system are not verified: anybody in between can read the token', {
        system: system.name,
      })
    }
    if (exposedUrls(system).length > 0) {
      log.warn('this system is asked without TLS: the token travels in the clear', { system: system.name })
    }
    for (const file of secretFiles(system).filter(isReadableByOthers)) {
      log.warn(`every user of this machine may read this secret: ${CLOSE_FILE}`, {
        system: system.name,
        file,
      })
    }
  }
}
