/** The thread of bcrypt.ts: sends whether the password matches the hash. */
import { parentPort, workerData } from 'node:worker_threads'
import { compare } from 'bcryptjs'

const { password, hash } = workerData as { readonly password: string; readonly hash: string }
parentPort?.postMessage(await compare(password, hash))
