import { type Levels, type Pointers, pathsIn, type ReferenceRow } from '../../src/alerting/references.ts'

declare const KIND: unique symbol
/** A reference to a number. In JSON it is a text; a text that is only a reference becomes a number. */
export type Reference = string & { readonly [KIND]: 'reference' }

type ReferencesTo<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Levels<number> ? Levels<Reference> : Reference
}

export const reference = (path: string): Reference => `<<${path}>>` as Reference

export function references<const Rows extends Readonly<Record<string, ReferenceRow>>>(
  rows: Rows,
): ReferencesTo<Rows> {
  const entries = Object.entries(rows).map(([name, row]) => [
    name,
    'value' in row
      ? reference(name)
      : { warning: reference(`${name}.warning`), critical: reference(`${name}.critical`) },
  ])
  return Object.fromEntries(entries) as ReferencesTo<Rows>
}

export const negative = (positive: Reference): Reference => `-${positive}` as Reference

export function findPointers(template: unknown, pointer = ''): Pointers {
  if (typeof template === 'string') return pathsIn(template).length === 0 ? {} : { [pointer]: template }
  if (typeof template !== 'object' || template === null) return {}
  const members = Object.entries(template).map(([key, member]) =>
    findPointers(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return Object.assign({}, ...members)
}
