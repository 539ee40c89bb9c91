import { defineConfig } from 'vitest/config'

/** The tests of receivers that `scripts/clusters.ts` builds; `vitest.config.ts` has all others. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/clusters/**/*.test.ts'],
    testTimeout: 240_000,
  },
})
