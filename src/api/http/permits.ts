import PQueue from 'p-queue'

export interface PermitUsage {
  readonly running: number
  readonly waiting: number
}

/** Limits how many tasks run at the same time. */
export type Permits = ReturnType<typeof createPermits>

export function createPermits(concurrency: number) {
  const queue = new PQueue({ concurrency })
  return {
    /** Tasks that run, and tasks that wait. */
    usage: (): PermitUsage => ({ running: queue.pending, waiting: queue.size }),
    /**
     * Runs a task when fewer than the maximum run; FIFO within a priority. The signal ends the wait only: a task that was
     * started is not left alone, because a deletion must be followed to its end.
     */
    async run<T>(
      task: () => Promise<T>,
      { signal, priority = 0 }: { signal: AbortSignal; priority?: number },
    ): Promise<T> {
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
