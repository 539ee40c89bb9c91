import { posix } from 'node:path'
import { outermostFunctionsOf } from './functions.ts'
import { importsOf, packageOf, resolveImport } from './imports.ts'
import { COMMON, MODULES, type Module, PACKAGES, READS_ENVIRONMENT, SHARED, TYPES_ONLY } from './modules.ts'

/** Source text by path, from the root of the repository. */
export type Sources = Readonly<Record<string, string>>

/** Imports that the table of modules does not allow, and files that belong to no module. */
export function importFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) => {
    const module = moduleOf(path)
    if (module === undefined) return [`${path} belongs to no module`]
    return importsOf(source).flatMap(({ specifier, typeOnly }) => {
      const target = resolveImport(path, specifier)
      if (target === undefined || !target.endsWith('.ts') || isAllowed(module, target, typeOnly)) return []
      return [`${path} may not import ${target}${typeOnly ? ' (types)' : ''}`]
    })
  })
}

function isAllowed(module: Module, target: string, typeOnly: boolean): boolean {
  const other = moduleOf(target)
  if (other === undefined) return false
  if (other.name === module.name) return true
  if (SHARED.includes(other.name)) return true
  const permission = module.mayImport[target] ?? module.mayImport[other.name]
  return permission === 'all' || (permission === 'types' && typeOnly)
}

function moduleOf(path: string): Module | undefined {
  const matches = MODULES.flatMap((module) =>
    module.paths
      .filter((prefix) => belongs(path, prefix))
      .map((prefix) => ({ module, length: prefix.length })),
  )
  return matches.sort((a, b) => b.length - a.length)[0]?.module
}

function belongs(path: string, prefix: string): boolean {
  return prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix
}

/** Packages that are imported outside their folders, and built-in modules of Node.js in the shared tables. */
export function packageFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    importsOf(source).flatMap(({ specifier, typeOnly }) => {
      if (TYPES_ONLY.includes(specifier) && !typeOnly)
        return [`${path} may import only types of ${specifier}`]
      const name = packageOf(specifier)
      if (name !== undefined && !(PACKAGES[name] ?? []).some((prefix) => path.startsWith(prefix))) {
        return [`${path} may not import ${name}`]
      }
      return specifier.startsWith('node:') && moduleOf(path)?.name === COMMON
        ? [`${path} may not import ${specifier}`]
        : []
    }),
  )
}

const MAX_FOLDER_FILES = 15

/** Folders with more files than a reader keeps in mind. */
export function largeFolderFindings(paths: readonly string[]): string[] {
  return Object.entries(Object.groupBy(paths, (path) => posix.dirname(path)))
    .filter(([, files = []]) => files.length > MAX_FOLDER_FILES)
    .map(([folder, files = []]) => `${folder} has ${files.length} files`)
}

/** Import cycles between files, types included, each as `a → b → a`. */
export function cycleFindings(sources: Sources): string[] {
  return cyclesIn(graphOf(sources, (path) => path))
}

/** Import cycles between folders. A file directly below `src/` is a folder of its own. */
export function folderCycleFindings(sources: Sources): string[] {
  const folderOf = (path: string) => (posix.dirname(path) === 'src' ? path : posix.dirname(path))
  return cyclesIn(graphOf(sources, folderOf))
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function graphOf(sources: Sources, nodeOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>()
  for (const [path, source] of Object.entries(sources)) {
    const targets = importsOf(source).flatMap(({ specifier }) => resolveImport(path, specifier) ?? [])
    const node = nodeOf(path)
    const others = targets.map(nodeOf).filter((target) => target !== node)
    graph.set(node, new Set([...(graph.get(node) ?? []), ...others]))
  }
  return graph
}

function cyclesIn(graph: Graph): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node)
    if (start >= 0) cycles.push([...trail.slice(start), node].join(' → '))
    if (start >= 0 || done.has(node)) return
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}

interface ForbiddenPattern {
  readonly what: string
  readonly pattern: RegExp
  readonly exceptIn: readonly string[]
}

const FORBIDDEN_PATTERNS: readonly ForbiddenPattern[] = [
  { what: 'has a default export', pattern: /^export default\b|\bas default\b/m, exceptIn: [] },
  { what: 'keeps state in the module', pattern: /^(export )?(let|var)\b/m, exceptIn: [] },
  {
    what: 'reads the environment',
    pattern: /\bprocess\.env\b|\benv\b[^\n]*from 'node:process'/,
    exceptIn: READS_ENVIRONMENT,
  },
]

/** Files with code that is not allowed in this repository. */
export function forbiddenPatternFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    FORBIDDEN_PATTERNS.filter(({ exceptIn }) => !exceptIn.some((prefix) => path.startsWith(prefix)))
      .filter(({ pattern }) => pattern.test(source))
      .map(({ what }) => `${path} ${what}`),
  )
}

const MAX_FUNCTION_LINES = 60

/** Functions of more than sixty lines of code, closures included. */
export function longFunctionFindings(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, source]) =>
    outermostFunctionsOf(source)
      .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
      .map(({ name, lines }) => `${path}: ${name} has ${lines} lines`),
  )
}
