import { addAbortListener } from 'node:events'
import { MAX_TIMER_MS } from '../../values/timers.ts'
import { withTimeoutReason } from './failures.ts'

/** Runs a task with a signal that aborts after `ms` milliseconds (as a TimeoutError), or when `stop` does. */
export async function withDeadline<T>(
  stop: AbortSignal,
  ms: number,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const expire = () => late.abort(new DOMException('the time allowed is over', 'TimeoutError'))
  const timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS))
  try {
    return await task(AbortSignal.any([stop, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** A signal that aborts when `stop` does, until it is detached. */
export function detachable(stop: AbortSignal): { readonly signal: AbortSignal; readonly detach: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort(stop.reason)
  if (stop.aborted) abort()
  else stop.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, detach: () => stop.removeEventListener('abort', abort) }
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
