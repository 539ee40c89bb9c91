import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { errorCode } from './errors.ts'

const KIB = 1024

/** Maximum sizes of files in bytes. A configuration file of 256 KiB has about 700 systems. */
export const MAX_FILE_BYTES = {
  configuration: 256 * KIB,
  pem: KIB * KIB,
  /** Certificates that issued those of a system. */
  ca: KIB * KIB,
  secret: 64 * KIB,
  recording: 300 * KIB * KIB,
} as const
type FileKind = keyof typeof MAX_FILE_BYTES

type TextFile = { readonly text: string } | { readonly problem: string }

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
}

/**
 * Reads a text file. Other types than regular files are refused: opening or reading a FIFO or a device may block or
 * never end. The problem is the end of a sentence that begins with the path; it never contains the content.
 */
export function readTextFile(path: string, kind: FileKind): TextFile {
  const limit = MAX_FILE_BYTES[kind]
  try {
    // Before the file is opened, because opening a FIFO or a device can have effects.
    const stats = statSync(path)
    const problem = fileTypeProblem(stats)
    if (problem !== undefined) return { problem: `cannot be read: ${problem}` }
    // Files that are generated while they are read have the size 0.
    const bytes = stats.size > limit ? undefined : readFileSync(path)
    const size = bytes?.length ?? stats.size
    if (bytes !== undefined && size <= limit) return decoded(bytes)
    return { problem: `is too large: ${size} bytes, the limit is ${limit}` }
  } catch (cause) {
    const code = errorCode(cause) || 'unknown error'
    return { problem: `cannot be read: ${DESCRIPTIONS[code] ?? code}` }
  }
}

/** Other encodings are refused: their characters would be replaced, so that a password would be another one. */
function decoded(bytes: Buffer): TextFile {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: 'is not UTF-8 text: save it in UTF-8' }
}

/** Why a file is not a regular file; undefined if it is one. */
export function fileTypeProblem(stats: Stats): string | undefined {
  return stats.isFile() ? undefined : `it is a ${typeName(stats)}, not a regular file`
}

function typeName(stats: Stats): string {
  if (stats.isDirectory()) return 'directory'
  if (stats.isFIFO()) return 'FIFO'
  return stats.isSocket() ? 'socket' : 'device'
}

/** The text of a file; undefined if it does not exist. @throws the failed system call */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (failure) {
    if (errorCode(failure) === 'ENOENT') return undefined
    throw failure
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

export type ReadText = (path: string, kind: FileKind) => TextFile

export type Readings = ReturnType<typeof createReadings>

/** The files that are read for one configuration. */
export function createReadings() {
  const digests = new Map<string, { readonly kind: FileKind; readonly digest: string }>()
  return {
    read(path: string, kind: FileKind): TextFile {
      const outcome = readTextFile(path, kind)
      digests.set(path, { kind, digest: digestOf(outcome) })
      return outcome
    },
    /** Contents are compared: times of files miss changes of links, and changes within the clock resolution. */
    hasChanged: (): boolean =>
      [...digests].some(([path, { kind, digest }]) => digestOf(readTextFile(path, kind)) !== digest),
  }
}

function digestOf(outcome: TextFile): string {
  return createHash('sha256').update(JSON.stringify(outcome)).digest('base64')
}
