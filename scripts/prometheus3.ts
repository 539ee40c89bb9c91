/**
 * Builds Prometheus 3 and Alertmanager from the Go module proxy into `.cache/prometheus3`, and runs the tests that use
 * Prometheus, promtool, Alertmanager or amtool, or those at the paths given, with them. The first build takes many
 * minutes. Needs Go.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closureOf, readIfThere, testFiles } from '../test/support/test_files.ts'
import { TOOLS_FOLDER } from './tools/table.ts'

/**
 * Programs of one Go module, with its version there and the version that the programs print. These are the newest ones
 * that can be built from the module proxy: Alertmanager from 0.32 on needs files of its web interface that its module
 * does not have, and Prometheus 3.16.0 a dependency that the proxy does not have.
 */
const MODULES = [
  {
    path: 'github.com/prometheus/prometheus',
    module: 'v0.315.0',
    version: '3.15.0',
    names: ['promtool', 'prometheus'],
  },
  {
    path: 'github.com/prometheus/alertmanager',
    module: 'v0.31.1',
    version: '0.31.1',
    names: ['amtool', 'alertmanager'],
  },
] as const
type Module = (typeof MODULES)[number]

const FOLDER = fileURLToPath(new URL('../.cache/prometheus3/', import.meta.url))
const HELPERS = ['test/support/prometheus.ts', 'test/support/promtool.ts', 'test/support/alertmanager.ts']
const folderOf = ({ version }: Module) => join(FOLDER, version)

try {
  for (const module of MODULES) for (const name of module.names) build(module, name)
  must(process.execPath, ['scripts/tools.ts'])
  const path = [...MODULES.map(folderOf), join(TOOLS_FOLDER, 'bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path, TEST_TOOLS_FOLDER: join(FOLDER, 'tools/') }
  must(process.execPath, ['scripts/tools.ts'], { env })
  must(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...chosenTests()], { env })
} catch (failure) {
  process.stderr.write(`prometheus3: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}

/** As a dependency of an empty module: `go install` refuses a module with `exclude` directives. */
function build(module: Module, name: string): void {
  const folder = folderOf(module)
  const program = join(folder, name)
  if (existsSync(program)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'go.mod'),
    `module tools\n\ngo 1.24.0\n\nrequire ${module.path} ${module.module}\n`,
  )
  process.stdout.write(`prometheus3: building ${name} ${module.version}\n`)
  // The version that the program prints; without it, scripts/tools.ts would take the program for an old one.
  const version = `-X github.com/prometheus/common/version.Version=${module.version}`
  const args = ['build', '-mod=mod', `-ldflags=${version}`, '-o', program, `${module.path}/cmd/${name}`]
  must('go', args, { cwd: folder, remedy: 'install Go 1.24 or newer: https://go.dev/doc/install' })
}

function chosenTests(): readonly string[] {
  const paths = process.argv.slice(2)
  if (paths.length > 0) return paths
  return testFiles().filter((path) => {
    const files = closureOf(path, readIfThere)
    return HELPERS.some((helper) => files.has(helper))
  })
}

interface Running {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** What to do where the program is missing. */
  readonly remedy?: string
}

function must(command: string, args: readonly string[], { remedy = '', ...options }: Running = {}): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (error !== undefined) throw new Error(`${command} cannot be run (${error.message}); ${remedy}`)
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`)
}
