import { chmodSync, copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run, type SpawnOptions } from '../support/processes.ts'

/** Any id that is not root's and has no rights. */
const UNPRIVILEGED_ID = 65_532

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly options: SpawnOptions
}

/** Only root can change the user. Without root, programs run as the user of the test. */
const isRoot = process.getuid?.() === 0

/** The path of a program of an essential Debian package. @throws if it is missing */
function essential(path: string, debianPackage: string): string {
  if (existsSync(path)) return path
  throw new Error(`${path} is missing: install the package ${debianPackage}, or run the tests without root`)
}

/** An environment with only these variables: those of the test run are removed. */
function bare(extra: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const unset = Object.keys(process.env).map((name) => [name, undefined])
  return { ...Object.fromEntries(unset), ...extra }
}

/** A command line that runs as an unprivileged user and inherits no variable, not even HOME. */
export function unprivileged(
  [command, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): CommandLine {
  const options = { cwd: '/', env: bare(environment) }
  if (!isRoot) return { command, args, options }
  const drop = [
    `--reuid=${UNPRIVILEGED_ID}`,
    `--regid=${UNPRIVILEGED_ID}`,
    '--clear-groups',
    '--no-new-privs',
    '--',
  ]
  return { command: essential('/usr/bin/setpriv', 'util-linux'), args: [...drop, command, ...args], options }
}

/**
 * As {@link unprivileged}, with `root` as the root of the file system. Without root, `root` is only prepended to
 * absolute paths.
 */
export function inside(
  root: string,
  [command, ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): CommandLine {
  const options = { cwd: '/', env: bare(environment) }
  if (!isRoot) {
    const below = [command ?? '', ...args].map((word) => (word.startsWith('/') ? join(root, word) : word))
    return { command: below[0] ?? '', args: below.slice(1), options }
  }
  const user = [`--userspec=${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID}`, '--groups=']
  const chroot = essential('/usr/sbin/chroot', 'coreutils')
  return { command: chroot, args: [...user, root, command ?? '', ...args], options }
}

/** Copies the Node.js of the test and its libraries into the tree. */
export async function installNode(root: string, path: string): Promise<void> {
  const { stdout, stderr } = await run('ldd', [process.execPath])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library ?? '')
  if (libraries.length === 0) throw new Error(`ldd lists no libraries of ${process.execPath}: ${stderr}`)
  for (const library of libraries) place(library, join(root, library))
  place(process.execPath, join(root, path))
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}

/** Removes write permission from the tree. */
export function makeReadOnly(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const status = lstatSync(path)
    if (!status.isSymbolicLink()) chmodSync(path, status.isDirectory() || status.mode & 0o111 ? 0o555 : 0o444)
  }
  chmodSync(root, 0o555)
}

/** Restores write permission of the owner, so that the tree can be removed. */
export function makeRemovable(root: string): void {
  chmodSync(root, 0o755)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
}

/** Copies a tree with its symbolic links unchanged, as in node_modules/.bin. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
