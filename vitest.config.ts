import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    // Their receivers are built from source: `npm run test:clusters`.
    exclude: [...configDefaults.exclude, 'test/clusters/**'],
    // Tests start Prometheus, Chromium and the exporter itself: more files at a time only make them wait.
    pool: 'forks',
    maxWorkers: 2,
    // Tests wait for conditions. These are upper bounds for a loaded machine, above DEFAULT_WAIT_MS.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // .ci/run reads the counts from the file.
    reporters: ['default', ['json', { outputFile: '.cache/vitest.json' }]],
  },
})
