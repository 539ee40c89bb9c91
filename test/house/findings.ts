import { importsOf, packageOf, resolveImport } from './imports.ts'
import { COMMON, PACKAGES, READS_ENVIRONMENT, ROOMS, type Room } from './rooms.ts'

/** Source text by path, from the root of the repository. */
export type Sources = Readonly<Record<string, string>>

/** Imports that the table of rooms does not allow, and files that belong to no room. */
export function roomFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) => {
    const room = roomOf(path)
    if (room === undefined) return [`${path} belongs to no room`]
    return importsOf(source).flatMap(({ specifier, typeOnly }) => {
      const target = resolveImport(path, specifier)
      if (target === undefined || !target.endsWith('.ts') || isAllowed(room, target, typeOnly)) return []
      return [`${path} may not import ${target}${typeOnly ? ' (types)' : ''}`]
    })
  })
}

function isAllowed(room: Room, target: string, typeOnly: boolean): boolean {
  const other = roomOf(target)
  if (other === undefined) return false
  if (other.name === room.name) return true
  if (other.name === COMMON) return true
  const permission = room.mayImport[target] ?? room.mayImport[other.name]
  return permission === 'all' || (permission === 'types' && typeOnly)
}

function roomOf(path: string): Room | undefined {
  const matches = ROOMS.flatMap((room) =>
    room.paths.filter((prefix) => belongs(path, prefix)).map((prefix) => ({ room, length: prefix.length })),
  )
  return matches.sort((a, b) => b.length - a.length)[0]?.room
}

function belongs(path: string, prefix: string): boolean {
  return prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix
}

/** Packages that are imported where they have no business; Node's own modules only the tables may not. */
export function packageFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    importsOf(source).flatMap(({ specifier }) => {
      const name = packageOf(specifier)
      if (name !== undefined && !(PACKAGES[name] ?? []).some((prefix) => path.startsWith(prefix))) {
        return [`${path} may not know ${name}`]
      }
      return specifier.startsWith('node:') && roomOf(path)?.name === COMMON
        ? [`${path} may not import ${specifier}`]
        : []
    }),
  )
}

/** Rings of files that import each other, types included, each as `a → b → a`. */
export function cycleFindings(sources: Sources): string[] {
  const rings: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) rings.push([...trail.slice(start), path].join(' → '))
    if (start >= 0 || done.has(path)) return
    for (const { specifier } of importsOf(sources[path] ?? '')) {
      const target = resolveImport(path, specifier)
      if (target !== undefined) visit(target, [...trail, path])
    }
    done.add(path)
  }
  for (const path of Object.keys(sources)) visit(path, [])
  return rings
}

interface Habit {
  readonly what: string
  readonly pattern: RegExp
  readonly exceptIn: readonly string[]
}

const HABITS: readonly Habit[] = [
  { what: 'has a default export', pattern: /^export default\b|\bas default\b/m, exceptIn: [] },
  { what: 'keeps state in the module', pattern: /^(export )?(let|var)\b/m, exceptIn: [] },
  {
    what: 'reads the environment',
    pattern: /\bprocess\.env\b|\benv\b[^\n]*from 'node:process'/,
    exceptIn: READS_ENVIRONMENT,
  },
]

/** Files with a habit that the house does not have. */
export function habitFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    HABITS.filter(({ exceptIn }) => !exceptIn.some((prefix) => path.startsWith(prefix)))
      .filter(({ pattern }) => pattern.test(source))
      .map(({ what }) => `${path} ${what}`),
  )
}
