import { type ConfigProblem, mayBeSecret, type Position, pathText } from './problems.ts'

/** Where a key can be: the paths of the sections that have it, `''` for the file. */
export type KeySections = ReadonlyMap<string, readonly string[]>

/** The places of all keys of a schema: `ca_file` → `systems[].tls_config`. */
export function keySections(schema: unknown): KeySections {
  const places = new Map<string, string[]>()
  const collect = (part: unknown, place: string): void => {
    const { shape = {}, element, in: input, out, innerType, options = [] } = definitionOf(part)
    for (const [key, value] of Object.entries(shape)) {
      places.set(key, [...(places.get(key) ?? []), place])
      collect(value, place === '' ? key : `${place}.${key}`)
    }
    if (element !== undefined) collect(element, `${place}[]`)
    for (const inner of [input, out, innerType, ...options]) if (inner !== undefined) collect(inner, place)
  }
  collect(schema, '')
  return places
}

/** What the definition of a schema may have of other schemas. */
interface Definition {
  readonly shape?: Readonly<Record<string, unknown>>
  readonly element?: unknown
  readonly in?: unknown
  readonly out?: unknown
  readonly innerType?: unknown
  readonly options?: readonly unknown[]
}

function definitionOf(schema: unknown): Definition {
  return (schema as { _zod?: { def?: Definition } } | undefined)?._zod?.def ?? {}
}

/** The problem of an unknown key, with its position in the file if the key may be a secret. */
export function unknownKey(
  path: readonly PropertyKey[],
  places: KeySections,
  positionOf: (path: readonly PropertyKey[]) => Position | undefined,
): ConfigProblem {
  const place = positionOf(path)
  const where = place === undefined ? 'this place' : `line ${place.line}, column ${place.column}`
  const hidden = ` at ${where}, which is not shown here because it may hold a secret`
  const hint = hintFor(path, places)
  const message = `unknown key${mayBeSecret(path) ? hidden : ''}${hint === undefined ? '' : `; ${hint}`}`
  return { path: pathText(path), ...place, message }
}

/** With more places, a key says nothing about what was meant. */
const MAX_PLACES = 5

/** A similar key of the section, or the sections around or below it that have the key. */
function hintFor(path: readonly PropertyKey[], places: KeySections): string | undefined {
  const key = String(path.at(-1))
  const section = pathText(path.slice(0, -1)).replaceAll(/\[\d+\]/g, '[]')
  const known = [...places].filter(([, sections]) => sections.includes(section)).map(([name]) => name)
  const similar = suggestion(key, known)
  const isBelow = (place: string) => place.startsWith(section) && !place.includes('.', section.length + 1)
  const near = (places.get(key) ?? []).filter((place) => section.startsWith(place) || isBelow(place))
  const isTyped = similar !== undefined && Math.abs(similar.length - key.length) <= 1
  if (!isTyped && near.length > 0 && near.length <= MAX_PLACES)
    return `it belongs ${near.map((place) => (place === '' ? 'at the top of the file' : `under ${place}`)).join(' or ')}`
  return similar === undefined ? undefined : `did you mean ${similar}?`
}

/** A word that differs more from a name was probably not meant to be that name. */
const MAX_DIFFERENCE = 0.4
/** Names of settings are shorter. */
const MAX_CHARACTERS = 64
const MIN_PART = 3

/** The name that was probably meant: one with few different characters, or of which one is a part of the other. */
export function suggestion(word: string, names: readonly string[]): string | undefined {
  const text = plain(word)
  if (text.length > MAX_CHARACTERS) return undefined
  const [best] = names
    .map((name) => ({ name, difference: difference(text, plain(name)) }))
    .toSorted((a, b) => a.difference - b.difference)
  return best !== undefined && best.difference <= MAX_DIFFERENCE ? best.name : undefined
}

/** Removes case and separators: `baseURL` and `base-url` mean `base_url`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** How different two texts are: 0 for equal ones. */
function difference(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length >= MIN_PART && long.includes(short))
    return MAX_DIFFERENCE * (1 - short.length / long.length)
  return edits(a, b) / Math.max(short.length, 1)
}

/** The Levenshtein distance: characters to insert, delete or replace. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (b[column - 1] === character ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
