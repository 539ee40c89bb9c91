/**
 * The three functions of the "metadata reflection" proposal that the dependency injection of @peculiar/x509 needs.
 * The library cannot be loaded without them: import this file before it. It is a file of its own because static
 * imports run before the code of the importing file.
 */

type Key = string | symbol
type Metadata = WeakMap<object, Map<Key, unknown>>

/** Adds the functions to `Reflect`, unless they are already defined. */
function addMetadata(metadata: Metadata): void {
  const getOwnMetadata = (key: Key, target: object): unknown => metadata.get(target)?.get(key)
  const getMetadata = (key: Key, target: object): unknown => {
    for (let object: object | null = target; object !== null; object = Object.getPrototypeOf(object)) {
      if (metadata.get(object)?.has(key)) return getOwnMetadata(key, object)
    }
    return undefined
  }
  const defineMetadata = (key: Key, value: unknown, target: object): void => {
    metadata.set(target, (metadata.get(target) ?? new Map()).set(key, value))
  }
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, { getMetadata, getOwnMetadata, defineMetadata })
}

addMetadata(new WeakMap())
