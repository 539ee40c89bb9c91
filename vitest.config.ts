import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of which every test is an integration test; in the others, the suffix of the file says it. */
const INTEGRATION = [
  'test/{deploy,docs,end_to_end,exporter,faults,repository}/**/*.test.ts',
  'test/**/*.integration.test.ts',
]
/** Their receivers are built from source by `scripts/tests/clusters.ts`. */
const CLUSTERS = ['test/clusters/**/*.test.ts']

/** Waits for minutes of the clock, so it begins first. */
const LONGEST = 'alerts_live.integration.test.ts'

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
const rank = ({ moduleId }: TestSpecification): number => (moduleId.endsWith(LONGEST) ? 0 : 1)

export default defineConfig({
  test: {
    environment: 'node',
    // Tests wait for conditions. These are upper bounds for a loaded machine, above DEFAULT_WAIT_MS.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    // .ci/run reads the counts from the file.
    reporters: ['default', ['json', { outputFile: '.cache/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...INTEGRATION, ...CLUSTERS],
          // Threads that are used again start faster, and none of these tests changes its process.
          pool: 'threads',
          isolate: false,
          // Two for each core: they wait for servers more than half of the time.
          maxWorkers: 2 * availableParallelism(),
          setupFiles: ['test/support/quick_setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: INTEGRATION,
          pool: 'forks',
          // More than cores: they wait for schedules and for Prometheus, Chromium and the exporter, which they start.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'clusters', include: CLUSTERS, testTimeout: 240_000, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
