import { readFileSync, statSync } from 'node:fs'

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
}

/** Reads a text file. The problem contains neither the path nor the content. */
export function readTextFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: readFileSync(path, 'utf8') }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    return { problem: `cannot be read: ${DESCRIPTIONS[code] ?? code}` }
  }
}

const READ_BY_OTHERS = 0o004

/** Whether users outside the file's group may read it. Follows symbolic links. */
export function isReadableByOthers(path: string): boolean {
  try {
    return (statSync(path).mode & READ_BY_OTHERS) !== 0
  } catch {
    // Reading the file reports the error.
    return false
  }
}
