/** Each task runs an exporter and waits for polls. With many more at once, polls time out on a loaded machine. */
const CONCURRENCY = 12
/** An upper bound for one test: it also waits for the tasks before its own. */
export const PARALLEL_TIMEOUT_MS = 600_000

/** Starts a task for each item, a few at once. Returns the promises immediately; each test awaits its own. */
export function startInParallel<T>(
  items: readonly T[],
  task: (item: T) => Promise<void>,
): readonly Promise<void>[] {
  const queues: Promise<void>[] = Array.from({ length: CONCURRENCY }, () => Promise.resolve())
  return items.map((item, index) => {
    const queue = index % CONCURRENCY
    const running = (queues[queue] ?? Promise.resolve()).then(() => task(item))
    queues[queue] = running.catch(() => undefined)
    return running
  })
}
