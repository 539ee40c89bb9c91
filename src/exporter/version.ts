import { readFileSync } from 'node:fs'

/** package.json. The relative path is the same from src/ and dist/. */
function readManifest(): { readonly version: string; readonly homepage?: string } {
  return JSON.parse(read('../../package.json') ?? '{}')
}

export function readVersion(): string {
  return readManifest().version
}

export function readDocumentationUrl(): string | undefined {
  const { homepage = '' } = readManifest()
  return /^https?:\/\//.test(homepage) ? homepage : undefined
}

/** What the program was built from, and what runs it. */
export function buildDetails() {
  return {
    version: readVersion(),
    // Written by the build; unknown in a clone.
    revision: read('../revision.txt') ?? 'unknown',
    node: process.versions.node,
    openssl: process.versions.openssl ?? 'unknown',
    platform: `${process.platform} ${process.arch}`,
  }
}

/** The text of a file without white space around it; undefined if it cannot be read. */
function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, import.meta.url), 'utf8').trim()
  } catch {
    return undefined
  }
}
