import PQueue from 'p-queue'

/** Limits how many tasks run at the same time. */
export interface Permits {
  /**
   * Runs a task when fewer than the maximum run; FIFO within a priority. The signal ends the wait only: a task that was
   * started is not left alone, because a deletion must be followed to its end.
   */
  run<T>(task: () => Promise<T>, options: { signal: AbortSignal; priority?: number }): Promise<T>
  /** Tasks that run, and tasks that wait. */
  usage(): PermitUsage
}

export interface PermitUsage {
  readonly running: number
  readonly waiting: number
}

export function createPermits(concurrency: number): Permits {
  const queue = new PQueue({ concurrency })
  return {
    usage: () => ({ running: queue.pending, waiting: queue.size }),
    async run(task, { signal, priority = 0 }) {
      const waiting = new AbortController()
      const abort = () => waiting.abort(signal.reason)
      const stopListening = () => signal.removeEventListener('abort', abort)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      const started = () => {
        stopListening()
        return task()
      }
      return queue.add(started, { signal: waiting.signal, priority }).finally(stopListening)
    },
  }
}
