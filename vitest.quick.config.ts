import { defineConfig } from 'vitest/config'
import { quickTests } from './test/support/quick.ts'

/** The tests that need nothing but Node.js; `vitest.config.ts` runs all of them. */
export default defineConfig({
  test: {
    environment: 'node',
    include: [...quickTests()],
    // Starts faster than processes, and none of these tests needs a process of its own.
    pool: 'threads',
    setupFiles: ['test/support/quick_setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
