/**
 * Builds programs from the Go module proxy into `.cache`, and runs the tests that use them. A first build takes from ten
 * minutes to an hour on two cores. Needs Go.
 *
 *   npm run test:built -- clusters         remote write to Thanos, Mimir and VictoriaMetrics
 *   npm run test:built -- scrapers         what vmagent, VictoriaMetrics, an OpenTelemetry collector and Prometheus store
 *   npm run test:built -- prometheus3      tests with Prometheus 3, its promtool, Alertmanager and amtool; or those at PATHS
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { closureOf, readIfThere, testFiles } from '../test/support/test_files.ts'
import { CLUSTERS, clusterFolder } from './tools/clusters.ts'
import { buildPrograms } from './tools/go_programs.ts'
import { ALERTMANAGER, folderOf, PROMETHEUS3, PROMETHEUS3_FOLDER } from './tools/prometheus3.ts'
import { buildScrapers } from './tools/scrapers.ts'
import { TOOLS_FOLDER } from './tools/table.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'
/** Tests that import one of these use the programs. */
const HELPERS = [
  'test/support/programs/prometheus.ts',
  'test/support/promtool.ts',
  'test/support/programs/alertmanager.ts',
]
const SETS: Readonly<Record<string, (paths: readonly string[]) => void>> = {
  clusters: (paths) => {
    for (const cluster of CLUSTERS) buildPrograms(cluster, clusterFolder(cluster))
    must([VITEST, 'run', '--project=built', 'test/clusters', ...paths])
  },
  scrapers: (paths) => {
    buildScrapers()
    must([VITEST, 'run', '--project=built', 'test/scrapers', ...paths])
  },
  prometheus3: testPrometheus3,
}

const [name = '', ...paths] = process.argv.slice(2)
try {
  const test = SETS[name]
  if (test === undefined) throw new Error(`use one of ${Object.keys(SETS).join(', ')}`)
  test(paths)
} catch (failure) {
  process.stderr.write(`test:built: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}

function testPrometheus3(paths: readonly string[]): void {
  const modules = [PROMETHEUS3, ALERTMANAGER]
  for (const module of modules) buildPrograms(module, folderOf(module))
  must(['scripts/tools.ts'])
  const path = [...modules.map(folderOf), join(TOOLS_FOLDER, 'bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path, TEST_TOOLS_FOLDER: join(PROMETHEUS3_FOLDER, 'tools/') }
  must(['scripts/tools.ts'], env)
  const usesPrograms = (file: string) => {
    const files = closureOf(file, readIfThere)
    return HELPERS.some((helper) => files.has(helper))
  }
  const tests = paths.length > 0 ? paths : testFiles().filter(usesPrograms)
  must([VITEST, 'run', '--project=!built', ...tests], env)
}

function must(args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env })
  if (status !== 0) throw new Error(`${args[0]} failed`)
}
