/** A map with a capacity; when it is full, the least recently used entry is removed. */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

export function createBoundedMap<K, V>(capacity: number): BoundedMap<K, V> {
  // A Map keeps insertion order, so the first key is the least recently used.
  const entries = new Map<K, V>()
  const set = (key: K, value: V) => {
    entries.delete(key)
    entries.set(key, value)
    if (entries.size <= capacity) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      return
    }
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
  }
}
