/** So many labs at a time: they wait most of the time, so that more would only be slower. */
const AT_ONCE = 14

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
