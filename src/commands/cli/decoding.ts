import { isObject, type JsonObject } from '../../api/parse/json.ts'

/** A value of another type than its API has. */
class WrongType extends Error {}

/** The decoded response. @throws the error of `unexpected`, if a value has a wrong type */
export function decoded<T>(data: unknown, decode: (data: unknown) => T, unexpected: () => Error): T {
  try {
    return decode(data)
  } catch (failure) {
    throw failure instanceof WrongType ? unexpected() : failure
  }
}

/** @throws {WrongType} */
export function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw new WrongType()
}

/** A list; empty if it is missing. Programs in Go write an empty one as null, too. @throws {WrongType} */
export function listOf<T>(value: unknown, decode: (one: unknown) => T): T[] {
  const list = value ?? []
  if (Array.isArray(list)) return list.map((one) => decode(one))
  throw new WrongType()
}

/** Empty if it is missing. @throws {WrongType} */
export function textOf(value: unknown): string {
  const text = value ?? ''
  if (typeof text === 'string') return text
  throw new WrongType()
}

/** Empty if they are missing. @throws {WrongType} */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(objectOf(value ?? {})).map(([name, text]) => [name, textOf(text)]))
}
