import { createHash } from 'node:crypto'
import { type FileKind, readTextFile, type TextFile } from '../../values/files.ts'

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
    /**
     * Whether the content of a file has changed since it was read, or whether it can be read. Contents are compared,
     * because modification times miss changes of symbolic links and changes within the clock resolution.
     */
    hasChanged: (): boolean =>
      [...digests].some(([path, { kind, digest }]) => digestOf(readTextFile(path, kind)) !== digest),
  }
}

function digestOf(outcome: TextFile): string {
  return createHash('sha256').update(JSON.stringify(outcome)).digest('base64')
}
