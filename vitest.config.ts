import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of which every test is an integration test; in the others, the suffix of the file says it. */
const INTEGRATION = [
  'test/{deploy,docs,end_to_end,exporter,faults,fuzz,repository}/**/*.test.ts',
  'test/**/*.integration.test.ts',
]
/** `scripts/built_tests.ts` builds their programs from source. */
const BUILT = ['test/{clusters,scrapers}/**/*.test.ts']

/** What is released: packages, archives, the image, and their supply chain. CI runs them for each change, beside `npm test`. */
const RELEASE = [
  'test/deploy/{package,release_files,supply_chain}.test.ts',
  'test/deploy/packages/packages.test.ts',
  'test/deploy/docker/**/*.test.ts',
]

/** The longest, which begin first: most of them wait for clocks and programs. */
const LONGEST = [
  'grafana/rules/faults.integration.test.ts',
  'grafana/rules/days/ordinary.integration.test.ts',
  'deploy/kubernetes/probes.test.ts',
  'server/status/status_page.integration.test.ts',
  'end_to_end/history_scrape.test.ts',
  'server/admin/admin_page.integration.test.ts',
  'commands/backfill/backfill_queries.integration.test.ts',
  'faults/process.test.ts',
]

/** The longest tests first, and those that share threads last, so that they fill the last gaps. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
function rank({ moduleId, project }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`))
  if (place >= 0) return place
  return project.name === 'quick' ? LONGEST.length + 1 : LONGEST.length
}

/** Two for each core: tests wait for servers and for programs that they start, more than half of the time. */
const maxWorkers = 2 * availableParallelism()

export default defineConfig({
  test: {
    environment: 'node',
    // Tests wait for conditions. These are upper bounds for a loaded machine, not below DEFAULT_WAIT_MS.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { sequencer: LongestFirst, groupOrder: 1 },
    // .ci/run reads the counts from the file.
    reporters: ['default', ['json', { outputFile: '.cache/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...INTEGRATION, ...BUILT],
          // Threads that are used again start faster, and none of these tests changes its process.
          pool: 'threads',
          isolate: false,
          maxWorkers,
          setupFiles: ['test/support/quick_setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: INTEGRATION,
          exclude: [...configDefaults.exclude, ...RELEASE],
          pool: 'forks',
          // A process that is used again has loaded the modules already, which takes 0.8 s of CPU time for each file.
          isolate: false,
          maxWorkers,
          // Halves the CPU time of a start of the exporter, which these tests start a thousand times.
          env: { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '.cache/compile') },
        },
      },
      {
        extends: true,
        test: { name: 'release', include: RELEASE, pool: 'forks', isolate: false, maxWorkers },
      },
      {
        extends: true,
        test: { name: 'built', include: BUILT, testTimeout: 240_000, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
