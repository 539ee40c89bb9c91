/** Runs a task after the tasks before it; undefined when the queue is full. */
export type TaskQueue = <T>(task: () => Promise<T>) => Promise<T> | undefined

/** @param capacity of running and waiting tasks together */
export function createTaskQueue(capacity: number): TaskQueue {
  let last: Promise<unknown> = Promise.resolve()
  let pending = 0
  return (task) => {
    if (pending >= capacity) return undefined
    pending += 1
    const result = last.then(task).finally(() => {
      pending -= 1
    })
    // The next task runs even if this one fails.
    last = result.catch(() => undefined)
    return result
  }
}
