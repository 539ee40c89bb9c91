import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TOOLS_FOLDER } from './table.ts'

/** apt-get or dpkg is missing, so updating package lists does not help. */
class NoDebian extends Error {}

const APT_OPTIONS = ['-q', '-o', 'Acquire::Retries=3', '-o', 'DPkg::Lock::Timeout=600']

/**
 * Downloads a Debian package and unpacks it into `folder` atomically. Installs nothing and runs no script of the
 * package.
 * @param prepare changes the unpacked tree before it is moved to `folder`
 */
export function unpackPackage(name: string, folder: string, prepare: (tree: string) => void): void {
  mkdirSync(TOOLS_FOLDER, { recursive: true })
  const scratch = mkdtempSync(join(TOOLS_FOLDER, 'fetch-'))
  try {
    withFreshLists(name, () => apt(['download', name], scratch))
    const file = readdirSync(scratch).find((entry) => entry.endsWith('.deb'))
    if (file === undefined) throw new Error(`apt-get download ${name} left no .deb file`)
    const tree = join(scratch, 'tree')
    must('dpkg', ['-x', join(scratch, file), tree], scratch)
    prepare(tree)
    moveInto(tree, folder)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Installs packages with apt-get. @throws without root */
export function installPackages(names: readonly string[]): void {
  const list = names.join(' ')
  if (!isRoot()) throw new Error(`not root; run: sudo apt-get install ${list}`)
  withFreshLists(list, () => apt(['install', '-y', '--no-install-recommends', ...names], TOOLS_FOLDER))
}

/** Runs the action. If it fails, updates the package lists, which may be missing or old, and runs it again. */
function withFreshLists(what: string, action: () => void): void {
  try {
    action()
  } catch (failure) {
    if (failure instanceof NoDebian) throw failure
    if (!isRoot()) {
      const remedy = 'if the package lists are missing or old, run: sudo apt-get update'
      throw new Error(`cannot download ${what}; ${remedy}\n${(failure as Error).message}`)
    }
    log('updating the package lists')
    apt(['update'], TOOLS_FOLDER)
    action()
  }
}

function apt(args: readonly string[], cwd: string): void {
  // By default apt downloads as user _apt, which cannot write into folders of root, and then prints a warning.
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

/** Moves a folder. Keeps an existing one, which a concurrent run may have created. */
export function moveInto(tree: string, folder: string): void {
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

/** Prints a progress line. */
export function log(line: string): void {
  process.stdout.write(`tools: ${line}\n`)
}
