import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode, errorText } from '../values/errors.ts'

/** Readable by the group, for log collectors. */
const MODE = 0o640

/** A file of lines. It is opened for each of them, so it can be rotated by renaming. */
export function createAuditFile(path: string) {
  let last: Promise<void> = Promise.resolve()
  return {
    /**
     * Appends a line and a newline; resolves after fsync.
     * @throws when the file cannot be written. It may then have a part of the line, which is never removed: another process
     * may have appended meanwhile
     */
    append(line: string): Promise<void> {
      // One at a time, because a line begins with a newline if the one before was not completed.
      const written = last.then(() => appendLine(path, line))
      last = written.catch(() => undefined)
      return written
    },
  }
}

async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', MODE)
  try {
    await append(file, line)
  } finally {
    await file.close().catch(() => undefined)
  }
}

async function append(file: FileHandle, line: string): Promise<void> {
  const stats = await file.stat()
  refuseEndless(stats)
  const { size } = stats
  // A crash of the machine, or a full disk, may have left a partial line.
  const isPartial = size > 0 && (await lastByte(file, size)) !== '\n'.charCodeAt(0)
  await file.appendFile(`${isPartial ? '\n' : ''}${line}\n`)
  await file.sync()
}

/** A write to a FIFO waits for its reader, perhaps without end, and deletions wait for the write. */
function refuseEndless(stats: Stats): void {
  if (stats.isFIFO() || stats.isSocket())
    throw new Error('cannot be written: it is a FIFO or a socket, not a regular file')
}

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return bytesRead === 1 ? buffer[0] : undefined
}

/** Creates the file if it is missing. @throws when it cannot be written, with the path and the error code */
export async function checkAuditFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'a+', MODE)
    await file
      .stat()
      .then(refuseEndless)
      .finally(() => file.close())
  } catch (cause) {
    const code = errorCode(cause)
    const problem = code === '' ? errorText(cause) : `cannot be written (${code})`
    throw new Error(`--admin.audit-file=${path} ${problem}`, { cause })
  }
}
