import PQueue from 'p-queue'
import { detachable } from './deadline.ts'

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
