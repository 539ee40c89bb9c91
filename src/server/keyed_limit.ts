/** Takes a place of a key, until the returned function is called; undefined if all are taken. */
export type KeyedLimit = (key: string) => (() => void) | undefined

/** @param limit places of each key; 0: unlimited */
export function createKeyedLimit(limit: number): KeyedLimit {
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
