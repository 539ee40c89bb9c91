import { pathsIn } from './references.ts'

/**
 * Texts with references in JSON, by JSON pointer (RFC 6901). The package has dashboards with the default settings and
 * this list, so that it needs no second copy of them.
 */
export type Pointers = Readonly<Record<string, string>>

/** All texts with references. */
export function findPointers(template: unknown, pointer = ''): Pointers {
  if (typeof template === 'string') return pathsIn(template).length === 0 ? {} : { [pointer]: template }
  if (typeof template !== 'object' || template === null) return {}
  const members = Object.entries(template).map(([key, member]) =>
    findPointers(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return Object.assign({}, ...members)
}

/** A copy of the data with the texts at their pointers. @throws for a place that the data does not have */
export function withTexts<Data>(data: Data, pointers: Pointers): Data {
  const copy = structuredClone(data)
  for (const [pointer, text] of Object.entries(pointers)) {
    const keys = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop() ?? ''
    const parent = keys.reduce<unknown>(memberOf, copy)
    if (memberOf(parent, last) === undefined) throw new Error(`the data has no ${pointer}`)
    Object.assign(parent as object, { [last]: text })
  }
  return copy
}

function memberOf(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined
}
