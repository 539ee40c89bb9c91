import { defineConfig } from 'vitest/config'

/** Patterns of tests, separated by spaces; `!` excludes. */
export const TESTS_VARIABLE = 'MUTATION_TESTS'

const patterns = (process.env[TESTS_VARIABLE] ?? 'test/**/*.test.ts').split(' ')

/** Runs the tests of a folder. The bounds of time are for a loaded machine: Stryker has its own for mutants. */
export default defineConfig({
  test: {
    environment: 'node',
    include: patterns.filter((pattern) => !pattern.startsWith('!')),
    exclude: [
      '**/node_modules/**',
      ...patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : [])),
    ],
    pool: 'forks',
    // A process for each file takes most of the time.
    isolate: false,
    setupFiles: ['scripts/mutation/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
