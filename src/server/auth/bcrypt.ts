import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Compare } from './password_check.ts'

/** The file of the thread has the extension of this file: `.ts` in the repository, `.js` in the package. */
const THREAD = new URL(`./bcrypt_thread${extname(import.meta.url)}`, import.meta.url)
const THREAD_MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 } as const

/**
 * Compares a password with a bcrypt hash on a thread of its own: a comparison takes about 50 ms of CPU time at the
 * usual cost, during which the event loop would serve nothing else. Starting a thread for each comparison is cheap
 * compared with it, and keeps no passwords in the memory of an idle thread.
 */
export const bcryptCompare: Compare = async (password, hash, signal) => {
  const worker = new Worker(THREAD, { workerData: { password, hash }, resourceLimits: THREAD_MEMORY })
  const terminate = () => void worker.terminate()
  signal.addEventListener('abort', terminate)
  const exit = once(worker, 'exit').then(() => [undefined])
  try {
    const [isEqual] = (await Promise.race([once(worker, 'message'), exit])) as [boolean | undefined]
    return isEqual
  } finally {
    signal.removeEventListener('abort', terminate)
  }
}
