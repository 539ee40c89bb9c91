/**
 * Builds Prometheus 3 from the Go module proxy into `.cache/prometheus3`, and runs the tests that use Prometheus or
 * promtool, or those at the paths given, with it. The first build takes many minutes. Needs Go.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closureOf, readIfThere, testFiles } from '../test/support/test_files.ts'
import { TOOLS_FOLDER } from './tools/table.ts'

/** Prometheus 3.7.3 as a Go module. */
const VERSION = { module: 'v0.307.3', program: '3.7.3' }
const MODULE = 'github.com/prometheus/prometheus'
const FOLDER = fileURLToPath(new URL('../.cache/prometheus3/', import.meta.url))
const PROGRAMS = join(FOLDER, VERSION.program)
const HELPERS = ['test/support/prometheus.ts', 'test/support/promtool.ts']

try {
  for (const name of ['promtool', 'prometheus']) build(name)
  must(process.execPath, ['scripts/tools.ts'])
  const path = [PROGRAMS, join(TOOLS_FOLDER, 'bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path, TEST_TOOLS_FOLDER: join(FOLDER, 'tools/') }
  must(process.execPath, ['scripts/tools.ts'], { env })
  must(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...chosenTests()], { env })
} catch (failure) {
  process.stderr.write(`prometheus3: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}

/** As a dependency of an empty module: `go install` refuses a module with `exclude` directives. */
function build(name: string): void {
  const program = join(PROGRAMS, name)
  if (existsSync(program)) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(
    join(FOLDER, 'go.mod'),
    `module prometheus3\n\ngo 1.24.0\n\nrequire ${MODULE} ${VERSION.module}\n`,
  )
  process.stdout.write(`prometheus3: building ${name} ${VERSION.program}\n`)
  // The version that the program prints; without it, scripts/tools.ts would take the program for an old one.
  const version = `-X github.com/prometheus/common/version.Version=${VERSION.program}`
  const args = ['build', '-mod=mod', `-ldflags=${version}`, '-o', program, `${MODULE}/cmd/${name}`]
  must('go', args, { cwd: FOLDER, remedy: 'install Go 1.24 or newer: https://go.dev/doc/install' })
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
