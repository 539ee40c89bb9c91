import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TOOLS_FOLDER } from './table.ts'

/** There is no apt-get or dpkg: another attempt is pointless. */
class NoDebian extends Error {}

const APT_OPTIONS = ['-q', '-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=600']

/**
 * Unpacks a Debian package into `folder`, which appears complete or not at all. Starts no service, runs no
 * script of the package, installs nothing.
 */
export function unpackPackage(name: string, folder: string, prepare: (tree: string) => void): void {
  mkdirSync(TOOLS_FOLDER, { recursive: true })
  const workshop = mkdtempSync(join(TOOLS_FOLDER, 'fetch-'))
  try {
    withFreshLists(name, () => apt(['download', name], workshop))
    const file = readdirSync(workshop).find((entry) => entry.endsWith('.deb'))
    if (file === undefined) throw new Error(`apt-get download ${name} left no .deb file`)
    const tree = join(workshop, 'tree')
    must('dpkg', ['-x', join(workshop, file), tree], workshop)
    prepare(tree)
    moveInto(tree, folder)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** Installs packages on the machine. Needs root, and says so. */
export function installPackages(names: readonly string[]): void {
  const list = names.join(' ')
  if (!isRoot()) throw new Error(`not root, so run it yourself: sudo apt-get install ${list}`)
  withFreshLists(list, () => apt(['install', '-y', '--no-install-recommends', ...names], TOOLS_FOLDER))
}

/** Runs it; when that fails, as with package lists that are missing or old, renews the lists and runs it again. */
function withFreshLists(what: string, action: () => void): void {
  try {
    action()
  } catch (failure) {
    if (failure instanceof NoDebian) throw failure
    if (!isRoot()) {
      const remedy = `if the package lists are missing or old, run: sudo apt-get update`
      throw new Error(`${what} cannot be fetched; ${remedy}\n${(failure as Error).message}`)
    }
    say('fetching the package lists')
    apt(['update'], TOOLS_FOLDER)
    action()
  }
}

function apt(args: readonly string[], cwd: string): void {
  // apt gives up root for downloads, which cannot write into a folder below /root and then warns.
  const sandbox = isRoot() ? ['-o', 'APT::Sandbox::User=root'] : []
  must('apt-get', [...APT_OPTIONS, ...sandbox, ...args], cwd)
}

function must(command: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (done.error !== undefined) throw new NoDebian(`${command} cannot be run: ${done.error.message}`)
  if (done.status === 0) return
  throw new Error(
    `${command} ${args.join(' ')} failed:\n${done.stdout.slice(-2000)}${done.stderr.slice(-2000)}`,
  )
}

/** Another run may have been quicker; then its folder serves as well. */
function moveInto(tree: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  try {
    renameSync(tree, folder)
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw failure
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** One line of what is being done. */
export function say(line: string): void {
  process.stdout.write(`tools: ${line}\n`)
}
