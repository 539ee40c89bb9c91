import { posix } from 'node:path'

/** One import, re-export or dynamic import of a source file. */
export interface Import {
  /** As written in the file: `./a.ts`, `koa`, `node:fs`. */
  readonly specifier: string
  /** Whether only types are imported, so that there is no import at run time. */
  readonly typeOnly: boolean
}

const STATIC = /^(?:import|export)\s+(?<clause>[\w\s{},*$]*?)\s*from\s+'(?<specifier>[^']+)'/gm
const SIDE_EFFECT = /^import\s+'(?<specifier>[^']+)'/gm
const DYNAMIC = /(?<typeof>typeof\s+)?\bimport\(\s*'(?<specifier>[^']+)'\s*\)/g

/** The imports of a file as Biome formats it: statements at the start of a line, single quotes. */
export function importsOf(source: string): readonly Import[] {
  const found = (pattern: RegExp, isTypeOnly: (groups: Record<string, string | undefined>) => boolean) =>
    [...source.matchAll(pattern)].map(({ groups = {} }) => ({
      specifier: groups['specifier'] ?? '',
      typeOnly: isTypeOnly(groups),
    }))
  return [
    ...found(STATIC, ({ clause }) => isTypeClause(clause ?? '')),
    ...found(SIDE_EFFECT, () => false),
    ...found(DYNAMIC, (groups) => groups['typeof'] !== undefined),
  ]
}

/** `type {…}`, or braces in which each name is a type. */
function isTypeClause(clause: string): boolean {
  if (/^type\b/.test(clause)) return true
  const names = /^\{(?<names>[^}]*)\}$/.exec(clause.trim())?.groups?.['names']
  if (names === undefined) return false
  const list = names.split(',').map((name) => name.trim())
  return list.filter((name) => name !== '').every((name) => name.startsWith('type '))
}

/** The path of a relative import from the root of the repository; undefined for packages. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}

/** `@peculiar/x509` of `@peculiar/x509/sub`; undefined for Node's own modules and relative imports. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
