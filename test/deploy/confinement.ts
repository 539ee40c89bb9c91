import { chmodSync, copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run, type SpawnOptions } from '../support/processes.ts'

/** The unprivileged user of the image, also used where there is no image. */
export const UNPRIVILEGED_ID = 65_532

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly options: SpawnOptions
}

/** Without root nobody can change the user: then the user of the test, who is unprivileged already, must do. */
const isRoot = process.getuid?.() === 0

/** A program that every Debian has; elsewhere its absence is told with the remedy. */
function essential(path: string, debianPackage: string): string {
  if (existsSync(path)) return path
  throw new Error(`${path} is not here: install the package ${debianPackage}, or run the tests without root`)
}

/** Variables of the test run that a container or a service would not have. */
function bare(extra: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const unset = Object.keys(process.env).map((name) => [name, undefined])
  return { ...Object.fromEntries(unset), ...extra }
}

/** Runs as {@link UNPRIVILEGED_ID} with an environment of its own: neither HOME nor anything else is inherited. */
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
 * As {@link unprivileged}, with `root` as the root of the file system: nothing else of the machine exists. Without
 * root, paths are put below `root` instead, and the machine stays in sight.
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

/** Puts the Node.js that runs the test, with the libraries it needs, into the tree. */
export async function installNode(root: string, path: string): Promise<void> {
  const { stdout, stderr } = await run('ldd', [process.execPath])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library ?? '')
  if (libraries.length === 0) throw new Error(`ldd tells no libraries of ${process.execPath}: ${stderr}`)
  for (const library of libraries) place(library, join(root, library))
  place(process.execPath, join(root, path))
}

function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}

/** Takes every right to write away, from everybody; whoever is not root cannot change the tree then. */
export function makeReadOnly(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const status = lstatSync(path)
    if (!status.isSymbolicLink()) chmodSync(path, status.isDirectory() || status.mode & 0o111 ? 0o555 : 0o444)
  }
  chmodSync(root, 0o555)
}

/** Gives the owner the right to remove the tree again. */
export function makeRemovable(root: string): void {
  chmodSync(root, 0o755)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
}

/** A copy that keeps links as they are, for folders of packages. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
