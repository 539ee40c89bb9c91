import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { quickTests } from './test/support/quick.ts'

/** The tests that need nothing but Node.js; `vitest.config.ts` runs all of them. */
export default defineConfig({
  test: {
    environment: 'node',
    include: [...quickTests()],
    // Threads that are used again start faster, and none of these tests changes its process.
    pool: 'threads',
    // Two for each core: they wait for servers more than half of the time.
    maxWorkers: 2 * availableParallelism(),
    isolate: false,
    setupFiles: ['test/support/quick_setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
