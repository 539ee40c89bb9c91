/**
 * Limits what runs at the same time for each key. The result takes one of the `limit` units of a key until the function that it
 * returns is called; it returns undefined if all are taken.
 * @param limit 0: unlimited
 */
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
