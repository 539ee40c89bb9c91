import { type FileHandle, open } from 'node:fs/promises'

/** A line whose first part is on the disk, and whose end is to come. */
export interface OpenLine {
  /** Writes the rest and a line end; resolves when the disk has it. Lets the next line begin, also when it fails. */
  end(rest: string): Promise<void>
}

/** A file of lines that are written before and after the event that they tell of. */
export interface AuditFile {
  /**
   * Writes the first part of a line, once no other line is open; resolves when the disk has it.
   * @throws when the file cannot be written, and then nothing of the line is left in it
   */
  begin(first: string): Promise<OpenLine>
}

/** Readable by the group, for those who collect logs. */
const MODE = 0o640

/**
 * A line is begun before its event and ended after it, so that a full disk is met before and not after, and a crash
 * in between leaves a trace. The file is opened anew for each line: it may be renamed at any time.
 * @param cutEnd ends a line that a crash has cut
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
    // Half a line would spoil the next one. What cannot be cut off, such as a device, has no length either.
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

/** Whether the file can be written: creates it where it is missing. @throws with the path and the reason */
export async function checkAuditFile(path: string): Promise<void> {
  try {
    const file = await open(path, 'a+', MODE)
    await file.close()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new Error(`--admin.audit-file=${path} cannot be written (${code})`, { cause })
  }
}
