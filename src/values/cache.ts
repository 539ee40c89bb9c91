/** A map with a capacity; when it is full, the least recently used entry is removed. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #capacity: number

  constructor(capacity: number) {
    super()
    this.#capacity = capacity
  }

  override get(key: K): V | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    // A Map keeps insertion order, so the first key is the least recently used.
    const oldest = this.keys().next()
    if (this.size > this.#capacity && !oldest.done) this.delete(oldest.value)
    return this
  }
}

/** The function, called once for each object; results are kept as long as their objects. */
export function memoizeWeak<K extends object, V extends object>(create: (object: K) => V): (object: K) => V {
  const results = new WeakMap<K, V>()
  return (object) => {
    const result = results.get(object) ?? create(object)
    results.set(object, result)
    return result
  }
}

/** The function, called once for each key as long as the result is in the map; by default all results are kept. */
export function oncePerKey<K, V extends NonNullable<unknown>>(
  create: (key: K) => V,
  results: Map<K, V> = new Map(),
): (key: K) => V {
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = create(key)
    results.set(key, result)
    return result
  }
}
