import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/** A mutant is active in the process of the tests only, so tests that start programs find none. */
const WITHOUT_MUTANT = [
  'test/{clusters,deploy,docs,end_to_end,exporter,faults,fuzz,repository,scrapers}/**',
  'test/**/*.integration.test.ts',
]

/** The tests of `npx stryker run`. `MUTATION_TESTS` has other patterns, separated by blanks. */
export default defineConfig({
  test: {
    include: (process.env['MUTATION_TESTS'] ?? 'test/**/*.test.ts').split(' '),
    exclude:
      process.env['MUTATION_TESTS'] === undefined
        ? [...configDefaults.exclude, ...WITHOUT_MUTANT]
        : configDefaults.exclude,
    isolate: false,
    // The tests run in a copy below `.cache/mutation`, which has no tools.
    env: {
      TEST_TOOLS_FOLDER: `${resolve(process.cwd().replace(/\/\.cache\/mutation\/.*/, ''), '.cache/tools')}/`,
    },
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
