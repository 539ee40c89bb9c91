import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Generated, Generator } from './registry.ts'

/** A difference between a generated file and the file in the repository. */
export interface Drift {
  readonly path: string
  readonly problem: 'missing' | 'differs' | 'no longer generated'
  /** The expected text; undefined for a file that should not exist. */
  readonly text: string | undefined
}

/**
 * Compares byte by byte; `root` is the repository.
 * @throws {AggregateError} with the errors of all generators; if two of them create the same file
 */
export async function findDrift(generators: readonly Generator[], root: string): Promise<readonly Drift[]> {
  const results = await Promise.allSettled(generators.map(async ({ files }) => await files()))
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors)
  const files = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  refuseDuplicates(files)
  const paths = new Set(files.map(({ path }) => path))
  const owned = generators.flatMap((generator) => ownedFiles(generator, root))
  const leftovers = owned.filter((path) => !paths.has(path))
  return [
    ...files.flatMap((file) => compare(file, root)),
    ...leftovers.map((path) => ({ path, problem: 'no longer generated', text: undefined }) as const),
  ]
}

/** Writes and removes files so that the repository has no drift. */
export function applyDrift(drifts: readonly Drift[], root: string): void {
  for (const { path, text } of drifts) {
    const file = join(root, path)
    if (text === undefined) {
      rmSync(file)
      continue
    }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

function compare({ path, text }: Generated, root: string): Drift[] {
  const file = join(root, path)
  if (!existsSync(file)) return [{ path, problem: 'missing', text }]
  return readFileSync(file).equals(Buffer.from(text)) ? [] : [{ path, problem: 'differs', text }]
}

function ownedFiles({ owns }: Generator, root: string): string[] {
  if (owns === undefined || !existsSync(join(root, owns.folder))) return []
  const names = readdirSync(join(root, owns.folder)).filter((name) => name.endsWith(owns.suffix))
  return names.map((name) => `${owns.folder}/${name}`)
}

function refuseDuplicates(files: readonly Generated[]): void {
  const paths = files.map(({ path }) => path)
  const duplicate = paths.find((path, index) => paths.indexOf(path) !== index)
  if (duplicate !== undefined)
    throw new Error(`${duplicate} is generated twice; see scripts/generators/registry.ts`)
}
