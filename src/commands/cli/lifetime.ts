import type { Log } from '../../log.ts'

interface Running {
  start(): Promise<void>
  stop(): Promise<void>
  reload?(): Promise<void>
}

/** Longest time that an end may take before the program ends anyway. */
const STOP_TIMEOUT_MS = 5000

/**
 * Starts it and keeps the program running until SIGTERM or SIGINT, then stops it in order. Further signals change
 * nothing. SIGHUP loads the configuration again; a refusal was logged by whoever refused.
 * @param started told once it runs
 */
export async function runUntilSignalled(
  running: Running,
  log: Log,
  started: () => void = () => undefined,
): Promise<void> {
  const reload = () => void running.reload?.().catch(() => undefined)
  process.on('SIGHUP', reload)
  // Before the start, during which a supervisor may change its mind.
  const signalled = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(name))
  })
  await running.start()
  started()
  log.info('stopping', { signal: await signalled })
  const giveUp = setTimeout(() => {
    log.warn('the end took too long and was cut short', { seconds: STOP_TIMEOUT_MS / 1000 })
    process.exit(0)
  }, STOP_TIMEOUT_MS).unref()
  await running.stop()
  clearTimeout(giveUp)
  process.off('SIGHUP', reload)
  log.info('stopped')
}

/**
 * Runs a task whose signal aborts on the first SIGINT or SIGTERM, so that it can log out. A second signal ends the
 * process at once.
 */
export async function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new Error('interrupted'))
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt)
  try {
    return await task(controller.signal)
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
  }
}
