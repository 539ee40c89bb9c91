import { createHash } from 'node:crypto'
import { type FileKind, readTextFile, type TextFile } from '../../values/files.ts'

export type ReadText = (path: string, kind: FileKind) => TextFile

/** The files that are read for one configuration. */
export interface Readings {
  readonly read: ReadText
  /**
   * Whether the content of a file has changed since it was read, or whether it can be read. Contents are compared,
   * because modification times miss changes of symbolic links and changes within the clock resolution.
   */
  hasChanged(): boolean
}

export function createReadings(): Readings {
  const digests = new Map<string, { readonly kind: FileKind; readonly digest: string }>()
  return {
    read(path, kind) {
      const outcome = readTextFile(path, kind)
      digests.set(path, { kind, digest: digestOf(outcome) })
      return outcome
    },
    hasChanged: () =>
      [...digests].some(([path, { kind, digest }]) => digestOf(readTextFile(path, kind)) !== digest),
  }
}

function digestOf(outcome: TextFile): string {
  return createHash('sha256').update(JSON.stringify(outcome)).digest('base64')
}
