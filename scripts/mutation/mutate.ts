import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'

type Options = ConstructorParameters<typeof Stryker>[0]
export type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** The folders that are measured. */
export const FOLDERS: readonly string[] = [
  'src/api/request',
  'src/api/session',
  'src/state',
  'src/poller',
  'src/metrics',
]

/** A table of names and help texts, which `generate:check` compares with docs/metrics.md. */
const TABLES: readonly string[] = ['src/metrics/families.ts']

/** Files that no test reads, and tsconfig.json, which Stryker reads with the API that TypeScript 7 lacks. */
const NOT_COPIED = ['/.cache', '/dist', '/coverage', '/grafana', '/tsconfig.json']

/** How much longer than without mutation the tests may take, before the mutant counts as found. */
const TIMEOUT_MS = 5000

/** The folder of {@link FOLDERS} that the path is, or that has the file. */
export function folderOf(path: string): string | undefined {
  const isFile = path.endsWith('.ts') && existsSync(path)
  return FOLDERS.find((folder) => path === folder || (isFile && path.startsWith(`${folder}/`)))
}

/** The mutants of a file or folder. */
export function mutantsIn(path: string, mutants: readonly Mutant[]): readonly Mutant[] {
  return mutants.filter(({ fileName }) => `${relative('.', fileName)}/`.startsWith(`${path}/`))
}

/**
 * Tests every mutant of these files of a folder with the tests of its module (`test/metrics` for `src/metrics`,
 * `test/api` for `src/api/request`). Results are kept in .cache/mutation; those of the folder's other files are
 * returned too.
 * @param paths files of the folder, or the folder itself
 * @param force measure mutants again whose file and tests did not change
 */
export async function mutate(
  folder: string,
  paths: readonly string[],
  force: boolean,
): Promise<readonly Mutant[]> {
  const files = paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`))
  const stryker = new Stryker({
    mutate: [...files, ...TABLES.map((file) => `!${file}`)],
    plugins: ['@stryker-mutator/vitest-runner'],
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', dir: testsOf(folder), pool: 'forks' },
    coverageAnalysis: 'perTest',
    timeoutMS: TIMEOUT_MS,
    incremental: true,
    incrementalFile: `.cache/mutation/${folder.replaceAll('/', '-')}.json`,
    force,
    tempDirName: '.cache/mutation/sandbox',
    cleanTempDir: 'always',
    ignorePatterns: NOT_COPIED,
    reporters: ['progress-append-only'],
    logLevel: 'warn' as NonNullable<Options['logLevel']>,
    allowConsoleColors: false,
  })
  return stryker.runMutationTest()
}

/** `src/api/request` → `test/api`. */
function testsOf(folder: string): string {
  return `test/${folder.split('/')[1]}`
}
