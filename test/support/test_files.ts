import { globSync, readFileSync } from 'node:fs'
import { importsOf, resolveImport } from '../repository/imports.ts'

/** The text of a file of the repository; undefined where it is missing. */
export type ReadFile = (path: string) => string | undefined

/** All test files, from the root of the repository, with slashes on every system. */
export function testFiles(): readonly string[] {
  return globSync('test/**/*.test.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The file and all files that it imports at run time, directly or not, with their sources. */
export function closureOf(
  path: string,
  read: ReadFile,
  seen = new Map<string, string>(),
): ReadonlyMap<string, string> {
  const source = seen.has(path) ? undefined : read(path)
  if (source === undefined) return seen
  seen.set(path, source)
  for (const specifier of runTimeImports(source)) {
    const target = resolveImport(path, specifier)
    if (target?.endsWith('.ts')) closureOf(target, read, seen)
  }
  return seen
}

/** The specifiers of a source without those of which only types are taken. */
export function runTimeImports(source: string): readonly string[] {
  return importsOf(source)
    .filter(({ typeOnly }) => !typeOnly)
    .map(({ specifier }) => specifier)
}
