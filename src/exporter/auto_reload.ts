import type { Log } from '../log.ts'

/** When the configuration is loaded without a signal. */
export interface AutoReloadOptions {
  /** Whether a file that the last load read has changed, also if that load failed. */
  readonly hasChanged: () => boolean
  /** Time between two checks. */
  readonly intervalMs: number
}

/** Loads the configuration when its files have changed. */
export interface AutoReload {
  start(): void
  stop(): void
}

/** @param reload reports its own failures */
export function createAutoReload(
  { hasChanged, intervalMs }: AutoReloadOptions,
  reload: () => Promise<void>,
  log: Log,
): AutoReload {
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    if (!hasChanged()) return
    log.debug('a file of the configuration has changed')
    reload().catch(() => undefined)
  }
  return {
    start() {
      timer = setInterval(check, intervalMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}
