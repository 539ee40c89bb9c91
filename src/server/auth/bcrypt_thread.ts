/** The thread of basic_auth.ts: sends whether the password matches the hash. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { compare } from 'bcryptjs'

// Linux sets the priority of this thread only: scrapes go before guesses of passwords. Elsewhere it is per process.
if (process.platform === 'linux') setPriority(19)
const { password, hash } = workerData as { readonly password: string; readonly hash: string }
parentPort?.postMessage(await compare(password, hash))
