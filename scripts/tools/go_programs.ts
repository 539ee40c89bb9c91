import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs of one Go module, with its version there and the version that the programs print. */
export interface GoModule {
  readonly path: string
  readonly module: string
  readonly version: string
  readonly names: readonly string[]
  /** The folder of the module with a folder for each program; `cmd` unless given. */
  readonly programs?: string
  /** Build tags, as the module's own releases have them. */
  readonly tags?: readonly string[]
}

const REMEDY = 'install Go 1.26 or newer: https://go.dev/doc/install'

/** Builds the programs from the Go module proxy into a folder, unless they are there. Needs Go. @throws what failed */
export function buildPrograms(module: GoModule, folder: string): void {
  const missing = module.names.filter((name) => !existsSync(join(folder, name)))
  if (missing.length === 0) return
  mkdirSync(folder, { recursive: true })
  prepare(module, folder)
  for (const name of missing) build(module, name, folder)
}

/** Builds a program of this repository, one file, with the versions of the modules that it imports, unless it is there. */
export function buildProgram(
  { name, source, modules }: { name: string; source: URL; modules: Readonly<Record<string, string>> },
  folder: string,
): void {
  if (existsSync(join(folder, name))) return
  mkdirSync(folder, { recursive: true })
  const requirements = Object.entries(modules).map(([path, version]) => `require ${path} ${version}`)
  writeFileSync(join(folder, 'go.mod'), `${[`module ${name}`, ...requirements].join('\n')}\n`)
  copyFileSync(source, join(folder, 'main.go'))
  process.stdout.write(`building ${name}\n`)
  go(['mod', 'tidy'], folder, 'inherit')
  go(['build', '-o', name, '.'], folder, 'inherit')
}

/**
 * An empty module with the programs as a dependency: `go install` refuses a module with `exclude` or `replace`. Go
 * ignores `replace` of a dependency, so it is copied, with the checksums that belong to it.
 */
function prepare({ path, module }: GoModule, folder: string): void {
  const goMod = join(folder, 'go.mod')
  writeFileSync(goMod, 'module tools\n')
  const { GoMod: ownGoMod, Dir: own } = downloaded(`${path}@${module}`, folder)
  const text = readFileSync(ownGoMod, 'utf8')
  const [version = ''] = /^go .*$/m.exec(text) ?? []
  const replacements = text.match(/^replace (?:\([\s\S]*?^\)|.*)$/gm) ?? []
  writeFileSync(
    goMod,
    `${['module tools', version, `require ${path} ${module}`, ...replacements].join('\n\n')}\n`,
  )
  copyFileSync(join(own, 'go.sum'), join(folder, 'go.sum'))
}

function downloaded(module: string, cwd: string): { readonly GoMod: string; readonly Dir: string } {
  return JSON.parse(go(['mod', 'download', '-json', module], cwd, 'pipe'))
}

function build({ path, version, programs = 'cmd', tags = [] }: GoModule, name: string, cwd: string): void {
  process.stdout.write(`building ${name} ${version}\n`)
  // The version that the program prints; without it, scripts/tools.ts would take the program for an old one.
  const flag = `-X github.com/prometheus/common/version.Version=${version}`
  const flags = ['-mod=mod', `-tags=${tags.join(',')}`, `-ldflags=${flag}`, '-o', join(cwd, name)]
  go(['build', ...flags, `${path}/${programs}/${name}`], cwd, 'inherit')
}

/** @returns its output, with `pipe` */
function go(args: readonly string[], cwd: string, output: 'pipe' | 'inherit'): string {
  const stdio = ['ignore', output, 'inherit'] as const
  const { status, error, stdout } = spawnSync('go', args, { cwd, encoding: 'utf8', stdio: [...stdio] })
  if (error !== undefined) throw new Error(`go cannot be run (${error.message}); ${REMEDY}`)
  if (status !== 0) throw new Error(`go ${args.join(' ')} failed`)
  return stdout
}
