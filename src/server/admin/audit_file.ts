import { type FileHandle, open } from 'node:fs/promises'

/** A line whose first part has been written. */
export interface OpenLine {
  /** Writes the rest and a newline; resolves after fsync. The next line can begin even if this fails. */
  end(rest: string): Promise<void>
}

/** A file of lines, each written in two parts: before and after its event. */
export interface AuditFile {
  /**
   * Writes the first part of a line after all other lines have ended; resolves after fsync.
   * @throws when the file cannot be written; the file is then unchanged
   */
  begin(first: string): Promise<OpenLine>
}

/** Readable by the group, for log collectors. */
const MODE = 0o640

/**
 * A line begins before its event, so that a full disk prevents the event and a crash leaves a partial line. The file
 * is opened for each line, so it can be rotated by renaming.
 * @param cutEnd completes a partial line left by a crash
 */
export function createAuditFile(path: string, cutEnd: string): AuditFile {
  let last: Promise<void> = Promise.resolve()
  return {
    async begin(first) {
      const before = last
      const { promise, resolve: free } = Promise.withResolvers<void>()
      last = promise
      await before
      try {
        const file = await open(path, 'a+', MODE)
        await closingOnFailure(file, () => appendFirst(file, first, cutEnd))
        return { end: (rest) => endLine(file, rest).finally(free) }
      } catch (failure) {
        free()
        throw failure
      }
    },
  }
}

async function appendFirst(file: FileHandle, first: string, cutEnd: string): Promise<void> {
  const { size } = await file.stat()
  const isCut = size > 0 && (await lastByte(file, size)) !== '\n'.charCodeAt(0)
  try {
    await file.appendFile(`${isCut ? `${cutEnd}\n` : ''}${first}`)
    await file.sync()
  } catch (failure) {
    // A partial line would corrupt the next one. Truncating fails for devices, which have no length.
    await file.truncate(size).catch(() => undefined)
    throw failure
  }
}

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return bytesRead === 1 ? buffer[0] : undefined
}

async function endLine(file: FileHandle, rest: string): Promise<void> {
  await closingOnFailure(file, async () => {
    await file.appendFile(`${rest}\n`)
    await file.sync()
  })
  await file.close()
}

async function closingOnFailure(file: FileHandle, task: () => Promise<void>): Promise<void> {
  try {
    await task()
  } catch (failure) {
    await file.close().catch(() => undefined)
    throw failure
  }
}

/** Creates the file if it is missing. @throws when it cannot be written, with the path and the error code */
export async function checkAuditFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'a+', MODE)
    await file.close()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Error(`--admin.audit-file=${path} cannot be written (${code})`, { cause })
  }
}
