import type { Log } from '../../log.ts'

interface Service {
  start(): Promise<void>
  stop(): Promise<void>
  reload?(): Promise<void>
}

/** After this time the process exits even if stop() has not finished. */
const STOP_TIMEOUT_MS = 5000

/**
 * Starts a service, waits for SIGTERM or SIGINT and stops it. Further signals are ignored. SIGHUP calls reload(), which
 * logs its own errors.
 * @param started called after the start
 */
export async function runUntilSignalled(
  service: Service,
  log: Log,
  started: () => void = () => undefined,
): Promise<void> {
  const reload = () => void service.reload?.().catch(() => undefined)
  process.on('SIGHUP', reload)
  // Registered before the start, because a signal may arrive during it.
  const signalled = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(name))
  })
  await service.start()
  started()
  log.info('stopping', { signal: await signalled })
  const exitTimer = setTimeout(() => {
    log.warn('shutdown timed out, exiting', { seconds: STOP_TIMEOUT_MS / 1000 })
    process.exit(0)
  }, STOP_TIMEOUT_MS).unref()
  await service.stop()
  clearTimeout(exitTimer)
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
