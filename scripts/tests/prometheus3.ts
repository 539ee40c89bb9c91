/**
 * Builds Prometheus 3 and Alertmanager from the Go module proxy into `.cache/prometheus3`, and runs the tests that use
 * Prometheus, promtool, Alertmanager or amtool, or those at the paths given, with them. The first build takes many
 * minutes. Needs Go.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { closureOf, readIfThere, testFiles } from '../../test/support/test_files.ts'
import { buildPrograms } from '../tools/go_programs.ts'
import { ALERTMANAGER, folderOf, PROMETHEUS3, PROMETHEUS3_FOLDER } from '../tools/prometheus3.ts'
import { TOOLS_FOLDER } from '../tools/table.ts'

const MODULES = [PROMETHEUS3, ALERTMANAGER]
const HELPERS = [
  'test/support/programs/prometheus.ts',
  'test/support/promtool.ts',
  'test/support/programs/alertmanager.ts',
]

try {
  for (const module of MODULES) buildPrograms(module, folderOf(module))
  must(process.execPath, ['scripts/tools.ts'])
  const path = [...MODULES.map(folderOf), join(TOOLS_FOLDER, 'bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path, TEST_TOOLS_FOLDER: join(PROMETHEUS3_FOLDER, 'tools/') }
  must(process.execPath, ['scripts/tools.ts'], { env })
  must(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project=!built', ...chosenTests()], {
    env,
  })
} catch (failure) {
  process.stderr.write(`prometheus3: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}

function chosenTests(): readonly string[] {
  const paths = process.argv.slice(2)
  if (paths.length > 0) return paths
  return testFiles().filter((path) => {
    const files = closureOf(path, readIfThere)
    return HELPERS.some((helper) => files.has(helper))
  })
}

function must(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv } = {},
): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error !== undefined) throw new Error(`${command} cannot be run (${error.message})`)
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`)
}
