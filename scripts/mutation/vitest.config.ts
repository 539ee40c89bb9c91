import { defineConfig } from 'vitest/config'

/** Runs the tests that start no other program. */
export default defineConfig({
  test: {
    environment: 'node',
    exclude: ['**/node_modules/**', '**/*_promtool.integration.test.ts'],
    setupFiles: ['scripts/mutation/setup.ts'],
    testTimeout: 10_000,
    hookTimeout: 10_000,
    expect: { poll: { timeout: 5_000 } },
  },
})
