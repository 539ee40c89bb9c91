import type { LimitsConfig } from '../../config/config.ts'

/** Keeps one system's requests within `limits.concurrency` and `limits.requests_per_second`. */
export interface Budget {
  /** Runs a task when a place is free and its first request may be sent at once; waits in order. */
  withPlace<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>
  /** Resolves when the next request may be sent; those of tasks that run go before those of tasks that wait. */
  pace(signal: AbortSignal): Promise<void>
}

/** @param now milliseconds that only go forward */
export function createBudget(limits: LimitsConfig, now: () => number = () => performance.now()): Budget {
  const places = createPlaces(limits.concurrency)
  const gapMs = 1000 / limits.requestsPerSecond
  const turns = createTurns(gapMs, now)
  let running = 0
  /** When turns came whose requests were not sent yet; never more than tasks that run. */
  let unused: readonly number[] = []

  async function run<T>(task: () => Promise<T>): Promise<T> {
    running += 1
    unused = [...unused, now()]
    try {
      return await task()
    } finally {
      running -= 1
      unused = unused.slice(Math.max(0, unused.length - running))
    }
  }

  /** A turn that is not used before the next one comes has lapsed: saved up, they would be a burst. */
  function useTurn(): boolean {
    const fresh = unused.filter((since) => now() - since < gapMs)
    unused = fresh.slice(1)
    if (fresh.length > 0) turns.usedNow()
    return fresh.length > 0
  }

  return {
    async withPlace(signal, task) {
      await places.take(signal)
      try {
        await turns.wait(signal, 'last')
        return await run(task)
      } finally {
        places.release()
      }
    },
    async pace(signal) {
      // The time of a task that runs is counted, that of one that waits is not.
      if (!useTurn()) await turns.wait(signal, 'first')
    },
  }
}

/** So many tasks at a time, in the order in which they came. */
function createPlaces(count: number) {
  const queue = createQueue()
  let free = count
  return {
    async take(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await queue.join(signal, 'last')
    },
    release(): void {
      if (!queue.callNext()) free += 1
    },
  }
}

/** Turns evenly spread, so that no second sees more than its share: nothing here is in such a hurry as to need a burst. */
function createTurns(gapMs: number, now: () => number) {
  const queue = createQueue()
  let nextAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  function callWhenDue(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        if (now() < nextAt) return callWhenDue()
        if (!queue.callNext()) return
        nextAt = now() + gapMs
        callWhenDue()
      },
      Math.max(0, Math.ceil(nextAt - now())),
    )
  }

  return {
    /** A turn that is used late makes the next one later, too. */
    usedNow(): void {
      nextAt = Math.max(nextAt, now() + gapMs)
    },
    async wait(signal: AbortSignal, where: Where): Promise<void> {
      signal.throwIfAborted()
      if (timer === undefined && now() >= nextAt) {
        nextAt = now() + gapMs
        return
      }
      callWhenDue()
      await queue.join(signal, where)
    },
  }
}

/** `first`: behind those alone that joined as `first`, too. */
type Where = 'first' | 'last'

/** People in a line, who may leave it when their signal aborts. */
function createQueue() {
  const lines: Record<Where, (() => void)[]> = { first: [], last: [] }
  return {
    async join(signal: AbortSignal, where: Where): Promise<void> {
      const line = lines[where]
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Who was called cannot leave any more, not even in the same moment.
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        line.splice(line.indexOf(enter), 1)
        reject(signal.reason)
      }
      line.push(enter)
      signal.addEventListener('abort', leave, { once: true })
      await promise
    },
    /** Whether there was somebody. */
    callNext(): boolean {
      const next = lines.first.shift() ?? lines.last.shift()
      next?.()
      return next !== undefined
    },
  }
}
