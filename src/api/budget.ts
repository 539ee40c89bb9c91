import type { LimitsConfig } from '../config/config.ts'
import { pause } from './deadline.ts'

/** Keeps one system's requests within `limits.concurrency` and `limits.requests_per_second`. */
export interface Budget {
  /** Runs a task when a place is free and its first request may be sent at once; waits in order. */
  withPlace<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>
  /** Resolves when the next request may be sent. */
  pace(signal: AbortSignal): Promise<void>
}

/** @param now milliseconds that only go forward */
export function createBudget(limits: LimitsConfig, now: () => number = () => performance.now()): Budget {
  const gapMs = 1000 / limits.requestsPerSecond
  const waiting: (() => void)[] = []
  let free = limits.concurrency
  let nextSendAt = Number.NEGATIVE_INFINITY
  let running = 0
  /** Requests whose wait is over and that were not sent yet: never more than tasks that run. */
  let paced = 0

  async function take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(signal.reason)
      }
      waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  function release(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  /** Evenly, so that no second sees more than its share: nothing here is in such a hurry as to need a burst. */
  async function waitForTurn(signal: AbortSignal): Promise<void> {
    const sendAt = Math.max(nextSendAt, now())
    nextSendAt = sendAt + gapMs
    const waitMs = sendAt - now()
    if (waitMs > 0) await pause(waitMs, signal)
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    running += 1
    paced += 1
    try {
      return await task()
    } finally {
      running -= 1
      paced = Math.min(paced, running)
    }
  }

  return {
    async withPlace(signal, task) {
      await take(signal)
      try {
        await waitForTurn(signal)
        return await run(task)
      } finally {
        release()
      }
    },
    async pace(signal) {
      if (paced === 0) return waitForTurn(signal)
      paced -= 1
    },
  }
}
