import { Secret } from '../values/secret.ts'

/** Deep equality of two parts of a configuration; secrets are compared by value. */
export function sameConfig(a: unknown, b: unknown): boolean {
  if (a instanceof Secret || b instanceof Secret)
    return a instanceof Secret && b instanceof Secret && a.equals(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameConfig(value, right.get(key)))
  )
}
