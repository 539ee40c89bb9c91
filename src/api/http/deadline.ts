import { addAbortListener } from 'node:events'
import { MAX_TIMER_MS } from '../../values/timers.ts'
import { withTimeoutReason } from './failures.ts'

/** Runs a task with a signal that aborts after `ms` milliseconds (as a TimeoutError), or when `stop` does. */
export async function withDeadline<T>(
  stop: AbortSignal,
  ms: number,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, abort, detach } = detachable(stop)
  const expire = () => abort(new DOMException('the time allowed is over', 'TimeoutError'))
  const timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS))
  try {
    return await task(signal)
  } finally {
    clearTimeout(timer)
    detach()
  }
}

/**
 * A signal that aborts when `stop` does, until it is detached. Not `AbortSignal.any`: if one listener of its signal is not
 * removed, every use stays in memory for as long as `stop` lives, about 1 kB a request.
 */
export function detachable(stop: AbortSignal) {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const follow = () => abort(stop.reason)
  if (stop.aborted) follow()
  else stop.addEventListener('abort', follow, { once: true })
  return { signal: controller.signal, abort, detach: () => stop.removeEventListener('abort', follow) }
}

/** Waits for `ms` milliseconds; rejects as {@link untilAborted} when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (ms <= 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS))
  await untilAborted(promise, signal).finally(() => clearTimeout(timer))
}

/**
 * Waits for a shared promise until the signal aborts.
 * @throws {ApiError} `timeout` when the signal aborts as a timeout
 */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _listener = addAbortListener(signal, () => reject(withTimeoutReason(signal.reason)))
  return await Promise.race([shared, aborted])
}
