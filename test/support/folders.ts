import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Folder extends Disposable {
  readonly path: string
  /** Writes a file into the folder and returns its path. */
  write(name: string, text: string): string
}

/** Creates a folder; `using` removes it at the end of the block. */
export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'sds-exporter-'))
  return {
    path,
    write(name, text) {
      const file = join(path, name)
      writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
