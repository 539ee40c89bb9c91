import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeArchive, writeProgram } from '../../../scripts/release/archives.ts'
import { packageNames, writePackages } from '../../../scripts/release/packages.ts'
import { OWN_PLATFORM } from '../../../scripts/release/runtime.ts'
import { readText } from '../../repository/repository.ts'
import { run } from '../../support/processes.ts'

export const { version: VERSION } = JSON.parse(readText('package.json')) as { version: string }
/** One version before every other. */
export const LOWER_VERSION = '0.0.1'
/** For a build and compression on a loaded machine. */
export const BUILD_TIMEOUT_MS = 600_000
const [, ARCHITECTURE = ''] = OWN_PLATFORM.split('-')
const NAME = `sds-exporter-${VERSION}.${OWN_PLATFORM}`

export interface ReleaseFiles {
  /** Folder of the files of a release: those of RELEASE_FILES, which the dry run sets, or built here. */
  readonly out: string
  /** The unpacked archive for this machine. */
  readonly tree: string
  readonly archive: string
}

/** The archive for this machine, unpacked. @param folder an empty folder */
export async function releaseFiles(folder: string): Promise<ReleaseFiles> {
  const out = process.env['RELEASE_FILES'] ?? join(folder, 'out')
  if (process.env['RELEASE_FILES'] === undefined) {
    writeProgram(join(folder, 'program'), undefined)
    writeArchive(join(folder, 'program'), OWN_PLATFORM, { work: join(folder, 'work'), out })
  }
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  const archive = join(out, `${NAME}.tar.gz`)
  await run('tar', ['--extract', '--gzip', `--file=${archive}`, `--directory=${unpacked}`])
  return { out, archive, tree: join(unpacked, NAME) }
}

/** Packages of this version and of a lower one. @returns their folder, with the names of their files */
export function packageFiles(folder: string, tree: string) {
  const out = join(folder, 'packages')
  for (const version of [VERSION, LOWER_VERSION])
    writePackages(tree, ARCHITECTURE, { work: join(folder, `work-${version}`), out, version })
  return {
    out,
    deb: (version: string) => packageNames(version, ARCHITECTURE).deb,
    rpm: (version: string) => packageNames(version, ARCHITECTURE).rpm,
  }
}
