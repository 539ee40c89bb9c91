import { Stryker } from '@stryker-mutator/core'

type Options = ConstructorParameters<typeof Stryker>[0]
export type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** The folders that are measured. */
export const FOLDERS: readonly string[] = ['src/api/request', 'src/api/session', 'src/poller', 'src/metrics']

/** A table of names and help texts, which `generate:check` compares with docs/metrics.md. */
const TABLES: readonly string[] = ['src/metrics/families.ts']

/** Files that no test reads, and tsconfig.json, which Stryker reads with the API that TypeScript 7 lacks. */
const NOT_COPIED = ['/.cache', '/dist', '/coverage', '/grafana', '/tsconfig.json']

/** How much longer than without mutation the tests may take, before the mutant counts as found. */
const TIMEOUT_MS = 5000

/**
 * Tests every mutant of a folder with the tests of its module (`test/metrics` for `src/metrics`, `test/api` for
 * `src/api/request`). Results are kept in .cache/mutation.
 * @param force measure mutants again whose file and tests did not change
 */
export async function mutate(folder: string, force: boolean): Promise<readonly Mutant[]> {
  const stryker = new Stryker({
    mutate: [`${folder}/**/*.ts`, ...TABLES.map((file) => `!${file}`)],
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
