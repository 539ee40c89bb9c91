import { mayBeSecret, type Position, pathText } from './problems.ts'

/** Keys of other exporters, and what stands for them here. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  ...keysWith('the systems are listed under systems, each with base_url', 'targets hosts clusters'),
  ...keysWith(
    'poll.schedule has a cron expression, such as "*/30 * * * * *" for every 30 seconds',
    'poll_interval scrape_interval refresh_interval interval',
  ),
  ...keysWith('poll.timeout has the limit of a poll', 'scrape_timeout'),
  ...keysWith(
    'tls_config.insecure_skip_verify: true disables the verification of certificates',
    'verify_ssl ssl_verify verify verify_tls validate_certs',
  ),
  ...keysWith('base_url has it, such as https://HOST:4443', 'host hostname port scheme protocol'),
}

function keysWith(hint: string, keys: string): Record<string, string> {
  return Object.fromEntries(keys.split(' ').map((key) => [key, hint]))
}

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

/** The problem of an unknown key and the path that was probably meant, with its position in the file if the key may be a secret. */
export function unknownKey(
  path: readonly PropertyKey[],
  places: KeySections,
  positionOf: (path: readonly PropertyKey[]) => Position | undefined,
) {
  const place = positionOf(path)
  const where = place === undefined ? 'this place' : `line ${place.line}, column ${place.column}`
  const hidden = ` at ${where}, which is not shown here because it may hold a secret`
  const { hint, meant } = hintFor(path, places)
  const message = `unknown key${mayBeSecret(path) ? hidden : ''}${hint === undefined ? '' : `; ${hint}`}`
  return { problem: { path: pathText(path), ...place, message }, meant }
}

/** With more places, a key says nothing about what was meant. */
const MAX_PLACES = 5

function hintFor(
  path: readonly PropertyKey[],
  places: KeySections,
): { readonly hint?: string | undefined; readonly meant?: string } {
  const [key, parent] = [String(path.at(-1)), path.slice(0, -1)]
  if (Object.hasOwn(FOREIGN_KEYS, key)) return { hint: FOREIGN_KEYS[key] }
  const section = pathText(parent).replaceAll(/\[\d+\]/g, '[]')
  const known = [...places].filter(([, sections]) => sections.includes(section))
  const similar = suggestion(
    key,
    known.map(([name]) => name),
  )
  const others = places.get(key) ?? []
  const below = others.filter((place) => place.startsWith(section) && isChild(place.slice(section.length)))
  const names = below.length > 0 ? below : others
  const isTyped = similar !== undefined && Math.abs(similar.length - key.length) <= 1
  if (!isTyped && names.length > 0 && names.length <= MAX_PLACES) {
    const sections = names.filter((name) => name !== '')
    const top = names.length === sections.length ? [] : ['at the top of the file']
    const under = sections.length === 0 ? [] : [`under ${sections.join(' or ')}`]
    const where = [...top, ...under].join(' or ')
    return {
      hint: `it belongs ${where}`,
      meant: `${pathText(parent)}${names[0]?.slice(section.length)}`,
    }
  }
  if (similar === undefined) return {}
  return { hint: `did you mean ${similar}?`, meant: pathText([...parent, similar]) }
}

function isChild(place: string): boolean {
  return /^\.?[^.]*$/.test(place)
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
