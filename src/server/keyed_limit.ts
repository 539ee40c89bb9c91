/** Takes a unit of a key until the result is called; undefined if none is left. @param limit 0: unlimited */
export function createKeyedLimit(limit: number): (key: string) => (() => void) | undefined {
  const taken = new Map<string, number>()
  const add = (key: string, change: number) => {
    const count = (taken.get(key) ?? 0) + change
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }
  return (key) => {
    if (limit > 0 && (taken.get(key) ?? 0) >= limit) return undefined
    add(key, 1)
    return () => add(key, -1)
  }
}
