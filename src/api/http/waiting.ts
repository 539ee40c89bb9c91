import { addAbortListener } from 'node:events'
import PQueue from 'p-queue'
import { backoffMs, MAX_TIMER_MS } from '../../values/timers.ts'
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

/** Limits how many tasks run at the same time. */
export function createSemaphore(concurrency: number) {
  const queue = new PQueue({ concurrency })
  return {
    /** Tasks that run, and tasks that wait. */
    usage: () => ({ running: queue.pending, waiting: queue.size }),
    /**
     * Runs a task when fewer than the maximum run; FIFO within a priority. The signal ends the wait only: the result of a
     * started task is always awaited, because a deletion must not be interrupted.
     */
    async run<T>(
      task: () => Promise<T>,
      { signal, priority = 0 }: { signal?: AbortSignal | undefined; priority?: number } = {},
    ): Promise<T> {
      if (signal === undefined) return queue.add(task, { priority })
      const { signal: waiting, detach } = detachable(signal)
      const started = () => {
        detach()
        return task()
      }
      return queue.add(started, { signal: waiting, priority }).finally(detach)
    },
  }
}

const FIRST_MS = 30_000
/** Storage systems lock an address after ten refused logins; with this limit, ten take 55 minutes. */
const LONGEST_MS = 600_000

/** A pause after a failure that a repetition would only make worse: 30 s, doubled after each further one, at most 10 minutes. */
export type Cooldown = ReturnType<typeof createCooldown>

/** @param now monotonic clock in milliseconds */
export function createCooldown(now: () => number = () => performance.now()) {
  let failures = 0
  let endsAt = Number.NEGATIVE_INFINITY
  const lengthMs = () => backoffMs(failures, FIRST_MS, LONGEST_MS)
  const remainingMs = () => Math.max(0, endsAt - now())

  return {
    /** Milliseconds left; 0 when it is over or never began. */
    remainingMs,
    /**
     * Begins, and gives its length in milliseconds. Does nothing while it runs: failures side by side count once.
     * @param requestedMs its length, if the other side says so: then it is no further failure
     */
    begin(requestedMs?: number): number {
      if (remainingMs() > 0) return remainingMs()
      if (requestedMs === undefined) failures += 1
      const ms = requestedMs ?? lengthMs()
      endsAt = now() + ms
      return ms
    },
    /** Ends it; the next one is short again. */
    reset(): void {
      failures = 0
      endsAt = Number.NEGATIVE_INFINITY
    },
  }
}
