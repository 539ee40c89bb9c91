import type { Log } from '../../log.ts'
import { EXIT } from './exit.ts'

interface Service {
  start(): Promise<void>
  stop(): Promise<void>
  reload?(): Promise<void>
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** After this time the process exits even if stop() has not finished. */
const STOP_TIMEOUT_MS = 5000

/**
 * Starts a service, waits for SIGTERM or SIGINT and stops it. Further signals are ignored. SIGHUP
 * calls reload(), which logs its own errors; it stops a service that cannot be reloaded.
 * @param started called after the start
 */
export async function runUntilSignalled(
  service: Service,
  log: Log,
  started: () => void = () => undefined,
): Promise<void> {
  const { promise: signalled, resolve: stop } = Promise.withResolvers<string>()
  const reload = service.reload?.bind(service)
  const hangUp = reload === undefined ? stop : () => void reload().catch(() => undefined)
  // Registered before the start, because a signal may arrive during it. The listener receives the name of the signal.
  process.on('SIGHUP', hangUp)
  for (const name of STOP_SIGNALS) process.on(name, stop)
  stopWithNpm(stop)
  await service.start()
  started()
  log.info('stopping', { signal: await signalled })
  const exitTimer = setTimeout(() => {
    log.warn('shutdown timed out, exiting', { seconds: STOP_TIMEOUT_MS / 1000 })
    endProcess(EXIT.done)
  }, STOP_TIMEOUT_MS).unref()
  await service.stop()
  clearTimeout(exitTimer)
  process.off('SIGHUP', hangUp)
  log.info('stopped')
}

const PARENT_CHECK_MS = 250

/** The shell in which npm runs a program may end without it at SIGTERM, as dash does; it would keep its port. */
function stopWithNpm(stop: (signal: string) => void): void {
  const shell = process.ppid
  if (process.env['npm_lifecycle_event'] === undefined) return
  const check = () => process.ppid === shell || stop('SIGTERM')
  setInterval(check, PARENT_CHECK_MS).unref()
}

/** Terminating signals abort the signal, so that the task can log out; a second one ends the process. */
export async function interruptible<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const names = [...STOP_SIGNALS, 'SIGHUP'] as const
  const release = () => names.forEach((name) => void process.off(name, interrupt))
  const interrupt = () => {
    release()
    controller.abort(new Error('interrupted'))
  }
  for (const name of names) process.on(name, interrupt)
  try {
    return await task(controller.signal)
  } finally {
    release()
  }
}

/**
 * Ends the process, whatever is left in its event loop. `exit()` waits for the threads of libuv, where a lookup of a host
 * name cannot be cancelled and takes up to half a minute; `execve()` ends them.
 */
export function endProcess(code: number): never {
  if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap') && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, '--eval', `process.exit(${code})`], {})
  process.exit(code)
}
