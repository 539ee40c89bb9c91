/** The function, called once for each object; results are kept as long as their objects. */
export function memoizeWeak<K extends object, V extends object>(create: (object: K) => V): (object: K) => V {
  const results = new WeakMap<K, V>()
  return (object) => {
    const result = results.get(object) ?? create(object)
    results.set(object, result)
    return result
  }
}

/** The function, called once for each key; results are kept as long as the returned function. */
export function oncePerKey<K, V extends NonNullable<unknown>>(create: (key: K) => V): (key: K) => V {
  const results = new Map<K, V>()
  return (key) => {
    const result = results.get(key) ?? create(key)
    results.set(key, result)
    return result
  }
}
