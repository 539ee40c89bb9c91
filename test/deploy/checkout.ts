import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { repositoryFiles } from '../repository/repository.ts'
import { type Finished, run } from '../support/processes.ts'

/** Limit for a build or an installation of packages on a loaded machine. */
const STEP_TIMEOUT_MS = 120_000

/**
 * Copies files of the repository into `folder`, so that builds do not affect each other.
 * @param accept selects paths, relative to the root of the repository; default: all
 */
export function copyCheckout(folder: string, accept: (path: string) => boolean = () => true): void {
  for (const path of repositoryFiles().filter((file) => accept(file) && existsSync(file))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(path, join(folder, path))
  }
}

/** Links node_modules of the repository, with development dependencies, into a copy. */
export function linkPackages(folder: string): void {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
}

/** Runs npm. @throws with the output of npm if it fails */
export async function npm(line: string, folder: string): Promise<Finished> {
  const done = await run('npm', line.split(' '), { cwd: folder, timeout: STEP_TIMEOUT_MS })
  if (done.code === 0) return done
  throw new Error(
    `npm ${line} ended with ${done.code ?? done.signal}; installing packages needs the npm registry or npm's cache\n` +
      `${done.stdout.slice(-2000)}${done.stderr.slice(-2000)}`,
  )
}
