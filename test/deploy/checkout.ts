import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { repositoryFiles } from '../repository/repository.ts'
import { type Finished, run } from '../support/processes.ts'

/** A build of the whole program, or an installation of its packages, on a machine that does other things too. */
const STEP_TIMEOUT_MS = 120_000

/**
 * Copies files of the repository into `folder`, so that a build neither disturbs nor is disturbed. Packages are
 * those of the repository, by a link.
 * @param accept paths from the root of the repository; all unless told
 */
export function copyCheckout(folder: string, accept: (path: string) => boolean = () => true): void {
  for (const path of repositoryFiles().filter((file) => accept(file) && existsSync(file))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(path, join(folder, path))
  }
}

/** Lends the packages of the repository, development dependencies included, to a copy of it. */
export function linkPackages(folder: string): void {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
}

/** Runs a command line of npm; anything but success is an error that shows what npm said. */
export async function npm(line: string, folder: string): Promise<Finished> {
  const done = await run('npm', line.split(' '), { cwd: folder, timeout: STEP_TIMEOUT_MS })
  if (done.code === 0) return done
  throw new Error(
    `npm ${line} ended with ${done.code ?? done.signal}; to install packages it needs the npm registry or its cache\n` +
      `${done.stdout.slice(-2000)}${done.stderr.slice(-2000)}`,
  )
}
