/** Labs at a time. They wait most of the time; but with many more, polls time out on a loaded machine. */
const AT_ONCE = 6
/** An upper bound for a test of the table: it also waits for the labs before its own. */
export const SIDE_BY_SIDE_TIMEOUT_MS = 600_000

/** Starts a task for each item, a few at a time, and gives the promises at once, for tests to await one by one. */
export function sideBySide<T>(
  items: readonly T[],
  task: (item: T) => Promise<void>,
): readonly Promise<void>[] {
  const lanes: Promise<void>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve())
  return items.map((item, index) => {
    const lane = index % AT_ONCE
    const running = (lanes[lane] ?? Promise.resolve()).then(() => task(item))
    lanes[lane] = running.catch(() => undefined)
    return running
  })
}
