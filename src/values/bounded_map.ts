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
