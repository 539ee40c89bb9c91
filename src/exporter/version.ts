import { readFileSync } from 'node:fs'

/** The version in package.json. The relative path is the same from src/ and dist/. */
export function readVersion(): string {
  return (JSON.parse(read('../../package.json') ?? '{}') as { version: string }).version
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
