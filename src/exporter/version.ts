import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly homepage?: string
}

/** package.json. The relative path is the same from src/ and dist/. */
function readManifest(): Manifest {
  return JSON.parse(read('../../package.json') ?? '{}')
}

export function readVersion(): string {
  return readManifest().version
}

/** Where a published package has its documentation. */
export function readDocumentationUrl(): string | undefined {
  const { homepage = '' } = readManifest()
  return /^https?:\/\//.test(homepage) ? homepage : undefined
}

/** What the program was built from, and what runs it. */
export function buildDetails() {
  return {
    version: readVersion(),
    revision: revision() ?? 'unknown',
    node: process.versions.node,
    openssl: process.versions.openssl ?? 'unknown',
    platform: `${process.platform} ${process.arch}`,
  }
}

const COMMIT = /^[0-9a-f]{40,64}$/

/** The commit: of the build, or in a clone of the checkout; undefined if it is not known. */
function revision(): string | undefined {
  const head = read('../../.git/HEAD')
  const branch = /^ref: ([\w./-]+)$/.exec(head ?? '')?.[1]
  const candidates = [
    read('../revision.txt'),
    head,
    branch === undefined ? undefined : (read(`../../.git/${branch}`) ?? packedRevision(branch)),
  ]
  return candidates.find((text) => text !== undefined && COMMIT.test(text))
}

function packedRevision(branch: string): string | undefined {
  const line = read('../../.git/packed-refs')
    ?.split('\n')
    .find((one) => one.endsWith(` ${branch}`))
  return line?.split(' ')[0]
}

/** The text of a file without white space around it; undefined if it cannot be read. */
function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, import.meta.url), 'utf8').trim()
  } catch {
    return undefined
  }
}
