/** Runs tasks one after the other; undefined when too many wait already. */
export type Queue = <T>(task: () => Promise<T>) => Promise<T> | undefined

/** `capacity` counts the running task and those that wait. */
export function createQueue(capacity: number): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let pending = 0
  return (task) => {
    if (pending >= capacity) return undefined
    pending += 1
    const result = last.then(task).finally(() => {
      pending -= 1
    })
    // the next one waits for this one, however it ends
    last = result.catch(() => undefined)
    return result
  }
}
