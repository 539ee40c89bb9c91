import { link, open, readFile, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { parseObject } from '../../api/parse/json.ts'
import { errorCode } from '../../values/errors.ts'
import { readIfExists } from '../../values/files.ts'

interface Holder {
  readonly host: string
  readonly pid: number
  /** Tells two processes with the same id apart; undefined where it is unknown. */
  readonly start: string | undefined
}

/** The lock is held by another process, or it cannot be known whether that still runs. */
export class LockedError extends Error {}

/**
 * Holds a lock file with the id of this process, until it is disposed of. The lock of a process of this machine that has
 * ended is replaced.
 * @throws {LockedError} while another process holds it
 * @throws {Error} the failed system call
 */
export async function holdLock(file: string): Promise<AsyncDisposable> {
  const own = JSON.stringify({ host: hostname(), pid: process.pid, start: await startOf(process.pid) })
  while (!(await created(file, own))) {
    const found = await readIfExists(file)
    // Without a file, its holder has ended meanwhile.
    if (found !== undefined) await removeStale(file, found)
  }
  return { [Symbol.asyncDispose]: () => unlink(file) }
}

async function created(file: string, text: string): Promise<boolean> {
  try {
    await using lock = await open(file, 'wx')
    await lock.writeFile(text)
    return true
  } catch (failure) {
    if (errorCode(failure) === 'EEXIST') return false
    throw failure
  }
}

/** Of several processes that find the same stale lock, the one that creates the link removes it. */
async function removeStale(file: string, found: string): Promise<void> {
  const holder = holderIn(found)
  const remedy = `if no backfill writes this output, remove ${file}`
  // It is empty while another process creates it.
  if (holder === undefined) throw new LockedError(`${file} is held by an unknown process: ${remedy}`)
  if (holder.host !== hostname())
    throw new LockedError(`${file} is held by process ${holder.pid} on ${holder.host}: ${remedy}`)
  if (await isRunning(holder))
    throw new LockedError(`another backfill writes this output: process ${holder.pid} holds ${file}`)
  const claim = `${file}.stale`
  try {
    await link(file, claim)
  } catch (failure) {
    const code = errorCode(failure)
    if (code === 'ENOENT') return
    if (code === 'EEXIST') throw new LockedError(`another process replaces ${file}: if not, remove ${claim}`)
    throw failure
  }
  try {
    // Another process may have replaced the stale lock by its own since it was read.
    if ((await readIfExists(claim)) === found) await unlink(file)
  } finally {
    await unlink(claim)
  }
}

function holderIn(text: string): Holder | undefined {
  const value = parseObject(text) as Holder | undefined
  return Number.isInteger(value?.pid) && typeof value?.host === 'string' ? value : undefined
}

async function isRunning({ pid, start }: Holder): Promise<boolean> {
  const now = await startOf(pid)
  if (now !== undefined) return start === undefined || start === now
  if ((await startOf(process.pid)) !== undefined) return false
  try {
    return process.kill(pid, 0)
  } catch (failure) {
    return errorCode(failure) === 'EPERM'
  }
}

/** Fields of /proc/PID/stat after the name of the program, which may contain blanks: its state, and when it started. */
const STATE_FIELD = 0
const START_FIELD = 19

/** When a process was started, in ticks since the boot; undefined if there is none, or no /proc. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie has ended.
  return fields[STATE_FIELD] === 'Z' ? undefined : fields[START_FIELD]
}
