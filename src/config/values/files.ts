import { readFileSync, statSync } from 'node:fs'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder, not a file',
}

/** Reads a text file, or says in words why that failed; the words name no content. */
export function readTextFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    return { text: readFileSync(path, 'utf8') }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    return { problem: `cannot be read: ${WORDS[code] ?? code}` }
  }
}

const READ_BY_OTHERS = 0o004

/** Whether users outside the file's group may read it; of a link, what it leads to counts. */
export function isReadableByOthers(path: string): boolean {
  try {
    return (statSync(path).mode & READ_BY_OTHERS) !== 0
  } catch {
    // Whoever reads the file will say what is wrong with it.
    return false
  }
}
