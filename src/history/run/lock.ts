import { open, rm, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { parseObject } from '../../api/parse/json.ts'
import { errorCode } from '../../values/errors.ts'
import { readIfExists } from '../../values/files.ts'

/** The lock is held by another process, or it cannot be known whether that still runs. */
export class LockedError extends Error {}

/**
 * Holds a lock file with the id of this process, until it is disposed of. The lock of a process of this machine that has
 * ended is replaced.
 * @throws {LockedError} while another process holds it
 * @throws {Error} the failed system call
 */
export async function holdLock(file: string): Promise<AsyncDisposable> {
  while (!(await created(file))) {
    const found = await readIfExists(file)
    // Without a file, its holder has ended meanwhile.
    if (found === undefined) continue
    checkEnded(file, parseObject(found) ?? {})
    await rm(file, { force: true })
  }
  return { [Symbol.asyncDispose]: () => unlink(file) }
}

async function created(file: string): Promise<boolean> {
  try {
    await using lock = await open(file, 'wx')
    await lock.writeFile(JSON.stringify({ host: hostname(), pid: process.pid }))
    return true
  } catch (failure) {
    if (errorCode(failure) === 'EEXIST') return false
    throw failure
  }
}

/** @throws {LockedError} unless the holder was a process of this machine that has ended */
function checkEnded(file: string, { host, pid }: { readonly host?: unknown; readonly pid?: unknown }): void {
  if (host === hostname() && typeof pid === 'number' && !isRunning(pid)) return
  // It is empty while another process creates it.
  const holder = pid === undefined ? 'an unknown process' : `process ${pid} on ${host}`
  throw new LockedError(`${holder} holds ${file}: if no backfill writes this output, remove it`)
}

/** An earlier process may have had the id of this one, as in a container. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (failure) {
    return errorCode(failure) === 'EPERM'
  }
}
