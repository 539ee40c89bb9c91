import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/values/problems.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { errorText } from '../values/errors.ts'
import { warnOfRisks } from './risks.ts'
import { createSerialRunner } from './serial_runner.ts'

export interface ReloaderOptions {
  /** Reads and checks the configuration. @throws when it is invalid */
  readonly load: () => Config
  /** For warnings; undefined if the configuration is not from a file. */
  readonly configFile: string | undefined
  /** Replaces the running configuration. */
  readonly apply: (config: Config) => Promise<void>
  readonly own: OwnMetrics
  readonly log: Log
}

/** Loads and applies configurations, one at a time. Reports the result as metrics and log lines. */
export interface Reloader {
  /**
   * Loads the configuration, opens, and applies the configuration. Reloads that arrive meanwhile follow.
   * @param open called with a valid configuration, before the first request to a system
   */
  start(open: () => Promise<void>): Promise<void>
  /** Loads and applies the configuration; rejects without a change when it is invalid. */
  reload(): Promise<void>
  stop(): Promise<void>
}

export function createReloader({ load, configFile, apply, own, log }: ReloaderOptions): Reloader {
  const runner = createSerialRunner()

  async function use(config: Config): Promise<void> {
    warnOfRisks(config, configFile, log)
    await apply(config)
    own.reloaded(true, Date.now() / 1000)
  }

  function loadOrReport(): Config {
    try {
      return load()
    } catch (failure) {
      own.reloaded(false, Date.now() / 1000)
      log.error('configuration rejected', { error: reasonOf(failure) })
      throw failure
    }
  }

  return {
    start: (open) =>
      runner.run(async () => {
        const config = load()
        await open()
        await use(config)
      }),
    reload: () =>
      runner.run(async () => {
        const config = loadOrReport()
        await use(config)
        log.info('configuration reloaded', { systems: config.systems.length })
      }),
    stop: runner.stop,
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof ConfigError) return failure.summary()
  return errorText(failure)
}
