/**
 * JSON as it is written: numbers keep their notation and members may repeat, which the values of JSON.parse cannot
 * show.
 */
interface Entry {
  /** Only members of an object have a name. */
  name: string
  value: Tree
}

/** The text of a scalar, or the entries of a list or an object. */
type Tree = string | { readonly kind: 'list' | 'object'; readonly entries: Entry[] }

/** One value, or several after mutations of the whole. */
export type Roots = Entry[]

export interface JsonMutation {
  readonly kind: 'drop' | 'repeat' | 'replace' | 'nest' | 'rename' | 'insert' | 'copy'
  /** Numbers of values, modulo how many there are. */
  readonly at: number
  readonly other: number
  /** How often a value is repeated or nested. */
  readonly count: number
  readonly name: string
  /** JSON text of a new value. */
  readonly value: string
}

/** @param text valid JSON */
export function parseTree(text: string): Roots {
  return [{ name: '', value: treeOf(JSON.parse(text)) }]
}

function treeOf(value: unknown): Tree {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return {
    kind: Array.isArray(value) ? 'list' : 'object',
    entries: Object.entries(value).map(([name, member]) => ({ name, value: treeOf(member) })),
  }
}

export function writeTree(roots: Roots): string {
  return roots.map(({ value }) => textOf(value)).join('')
}

function textOf(tree: Tree): string {
  if (typeof tree === 'string') return tree
  const entries = tree.entries.map(({ name, value }) =>
    tree.kind === 'list' ? textOf(value) : `${JSON.stringify(name)}:${textOf(value)}`,
  )
  return tree.kind === 'list' ? `[${entries.join(',')}]` : `{${entries.join(',')}}`
}

/** Larger trees do not grow any more. */
const MAX_PLACES = 5000

/** Changes one value of the tree. */
export function mutateJson(roots: Roots, mutation: JsonMutation): void {
  const places = placesIn(roots)
  const place = places[mutation.at % places.length]
  const other = places[mutation.other % places.length]
  if (place === undefined || other === undefined) return
  const { siblings, index, entry } = place
  const room = Math.floor((MAX_PLACES - places.length) / placesIn([entry]).length)
  const { name, value, count } = mutation
  if (mutation.kind === 'drop') siblings.splice(index, 1)
  if (mutation.kind === 'repeat') siblings.splice(index, 0, ...copiesOf(entry, Math.min(count, room)))
  if (mutation.kind === 'insert') siblings.splice(index, 0, { name, value })
  if (mutation.kind === 'rename') entry.name = name
  if (mutation.kind === 'replace') entry.value = value
  if (mutation.kind === 'nest') entry.value = nested(entry.value, count, name)
  if (mutation.kind === 'copy' && room > 0) entry.value = copyOf(other.entry).value
}

interface Place {
  readonly siblings: Entry[]
  readonly index: number
  readonly entry: Entry
}

/** Every value, with the entries that it is one of. */
function placesIn(siblings: Entry[], found: Place[] = []): Place[] {
  for (const [index, entry] of siblings.entries()) {
    found.push({ siblings, index, entry })
    if (typeof entry.value !== 'string') placesIn(entry.value.entries, found)
  }
  return found
}

function copiesOf(entry: Entry, count: number): Entry[] {
  return Array.from({ length: Math.max(count, 0) }, () => copyOf(entry))
}

function copyOf({ name, value }: Entry): Entry {
  if (typeof value === 'string') return { name, value }
  return { name, value: { kind: value.kind, entries: value.entries.map(copyOf) } }
}

function nested(value: Tree, depth: number, name: string): Tree {
  const kind = depth % 2 === 0 ? 'list' : 'object'
  return depth === 0 ? value : { kind, entries: [{ name, value: nested(value, depth - 1, name) }] }
}
