import { resolve } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { testsOf } from './folders.ts'
import { NOT_SAMPLED, SAMPLE_VARIABLE, SAMPLING } from './sampling.ts'
import { TESTS_VARIABLE } from './vitest.config.ts'

type Options = ConstructorParameters<typeof Stryker>[0]
export type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/**
 * A table of names and help texts, which `generate:check` compares with docs/metrics.md, and what a process begins with,
 * where no mutant is active.
 */
const LEFT_OUT: readonly string[] = ['src/metrics/families.ts', 'src/main.ts']

/** Files that no test reads, and tsconfig.json, which Stryker reads with the API that TypeScript 7 lacks. */
const NOT_COPIED = ['/.cache', '/dist', '/coverage', '/tsconfig.json']

/** How much longer than without mutation the tests may take, before the mutant counts as found. */
const TIMEOUT_MS = 30_000
const TIMEOUT_FACTOR = 4
/** Tests of a large folder take minutes on a loaded machine. */
const DRY_RUN_MINUTES = 60

export interface Mutation {
  /** Number of mutants that are tested; undefined: all. */
  readonly sample: number | undefined
  /** Whether mutants are measured again whose file and tests did not change. */
  readonly force: boolean
}

/**
 * Tests mutants of a folder or file with the tests of its folder. Results of all mutants are kept in .cache/mutation; those
 * of a sample are not. Mutants of values that are made when a module is loaded, such as tables, are left out of a sample,
 * because each takes all tests.
 */
export async function mutate(path: string, { sample, force }: Mutation): Promise<readonly Mutant[]> {
  const isSample = sample !== undefined
  // Stryker's processes read them.
  process.env[TESTS_VARIABLE] = testsOf(path).join(' ')
  process.env[SAMPLE_VARIABLE] = String(sample)
  // Those of the copy are missing.
  process.env['TEST_TOOLS_FOLDER'] ??= `${resolve('.cache/tools')}/`
  const stryker = new Stryker({
    mutate: [path.endsWith('.ts') ? path : `${path}/**/*.ts`, ...LEFT_OUT.map((file) => `!${file}`)],
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/sampling.ts'],
    checkers: isSample ? [SAMPLING] : [],
    testRunner: 'vitest',
    // Some tests change the folder or the environment of their process.
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', pool: 'forks' },
    coverageAnalysis: 'perTest',
    ignoreStatic: isSample,
    concurrency: 1,
    timeoutMS: TIMEOUT_MS,
    timeoutFactor: TIMEOUT_FACTOR,
    dryRunTimeoutMinutes: DRY_RUN_MINUTES,
    incremental: !isSample,
    incrementalFile: `.cache/mutation/${path.replaceAll(/[/*]/g, '-')}.json`,
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

/** The mutants that were tested, and the number of those that could have been. */
export function measuredOf(mutants: readonly Mutant[]) {
  const testable = mutants.filter(({ status }) => status !== 'Ignored')
  return {
    measured: testable.filter(({ statusReason }) => statusReason !== NOT_SAMPLED),
    all: testable.length,
  }
}
