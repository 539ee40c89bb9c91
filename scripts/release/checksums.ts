import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes SHA256SUMS of the other files of a folder. @returns its path */
export function writeChecksums(folder: string): string {
  const file = join(folder, 'SHA256SUMS')
  const names = readdirSync(folder).filter((name) => !name.startsWith('SHA256SUMS'))
  const lines = names.toSorted().map((name) => `${digestOf(join(folder, name))}  ${name}\n`)
  writeFileSync(file, lines.join(''))
  return file
}

/** The SHA-256 of a file. */
export const digestOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')
