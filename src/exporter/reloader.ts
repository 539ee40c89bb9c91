import { setImmediate } from 'node:timers/promises'
import { createSemaphore } from '../api/http/waiting.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/values/problems.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { namesText } from '../text.ts'
import { errorText } from '../values/errors.ts'
import { logRisks, removedSystems, risksOf } from './risks.ts'

export interface AutoReloadOptions {
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
export function createReloader(options: ReloaderOptions) {
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
