import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { moveInto } from '../tools/debian.ts'
import { digestOf } from './checksums.ts'
import { output } from './programs.ts'

const CACHE = fileURLToPath(new URL('../../.cache/runtime/', import.meta.url))
const FILE = new URL('../../deploy/packages/runtime.json', import.meta.url)

/** Where an official executable of Node.js is, in an npm package or an archive of the Node.js project. */
interface Source {
  readonly package?: string
  readonly url?: string
  /** Checksum of the executable. */
  readonly sha256: string
  /** The nearest version in the npm registry, for a dry run that does not reach `url`. */
  readonly nearest?: Source
}

interface Runtimes {
  readonly version: string
  readonly platforms: Readonly<Record<string, Source>>
}

/** The versions and checksums of Node.js in archives and packages. */
export const RUNTIMES = JSON.parse(readFileSync(FILE, 'utf8')) as Runtimes

/** A platform as in the names of archives: `linux-amd64`. */
export type Platform = string
export const PLATFORMS: readonly Platform[] = Object.keys(RUNTIMES.platforms)
export const OWN_PLATFORM: Platform = `${process.platform.replace('win32', 'windows')}-${process.arch.replace('x64', 'amd64')}`

/**
 * The folder with the executable of Node.js for a platform, whose checksum is verified, and its licences.
 * @param nearest whether another version is accepted where the right one cannot be reached
 */
export function runtimeFolder(platform: Platform, nearest: boolean): string {
  const source = RUNTIMES.platforms[platform]
  if (source === undefined) throw new Error(`'${platform}' is not one of ${PLATFORMS.join(', ')}`)
  try {
    return provided(source)
  } catch (failure) {
    if (!nearest || source.nearest === undefined) throw failure
    process.stderr.write(`${(failure as Error).message}; continuing with ${source.nearest.package}\n`)
    return provided(source.nearest)
  }
}

function provided(source: Source): string {
  const folder = join(CACHE, source.sha256)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const scratch = mkdtempSync(join(CACHE, 'fetch-'))
  try {
    const archive = fetched(source, scratch)
    output('tar', ['-xz', `--file=${archive}`, `--directory=${scratch}`, '--strip-components=1'])
    const digest = digestOf(executableIn(scratch))
    if (digest !== source.sha256)
      throw new Error(`the Node.js of ${basename(archive)} has the checksum ${digest}, not ${source.sha256}`)
    const kept = join(scratch, 'kept')
    for (const path of globSync(['bin/node{,.exe}', 'LICENSE'], { cwd: scratch }))
      cpSync(join(scratch, path), join(kept, path))
    moveInto(kept, folder)
  } finally {
    rmSync(scratch, { recursive: true })
  }
  return folder
}

/** The path of the executable in a folder of a runtime, or in an unpacked archive. */
export function executableIn(folder: string): string {
  const [path] = globSync('bin/node{,.exe}', { cwd: folder })
  if (path === undefined) throw new Error(`${folder} has no Node.js`)
  return join(folder, path)
}

/** Downloads the package or the archive of a source. @returns the path of the file */
function fetched({ package: name, url = '' }: Source, folder: string): string {
  if (name !== undefined)
    return join(folder, output('npm', ['pack', '--silent', name], { cwd: folder }).trim())
  const file = join(folder, basename(url))
  output('curl', ['--fail', '--silent', '--show-error', '--location', '--output', file, url])
  return file
}
