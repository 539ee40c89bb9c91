import { isUtf8 } from 'node:buffer'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { createRefusalCount } from '../../administration/audit.ts'
import type { Log } from '../../log.ts'
import { BoundedMap } from '../../values/cache.ts'
import { HttpError } from '../../values/http_error.ts'
import type { Secret } from '../../values/secret.ts'
import { createTokenBuckets } from '../../values/token_bucket.ts'

/** bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, Secret>

/** Whether the password is right; undefined if it was not compared, because too many wait or the signal was aborted. */
type Result = Promise<boolean | undefined>

/** Resolves to undefined soon after the signal was aborted. */
type Compare = (password: string, hash: string, signal: AbortSignal) => Result

export interface BasicAuthOptions {
  readonly log: Log
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  /** Aborted when the listener stops: ends the running comparison and drops the waiting ones. */
  readonly signal: AbortSignal
  /** Default: bcrypt on another thread. */
  readonly compare?: Compare
}

const REMEMBERED_ADDRESSES = 1024
/** Failed attempts of one address: ten at once, then one per second. */
const ATTEMPTS = { burst: 10, intervalMs: 1000 } as const
/** Running and waiting comparisons. One takes 50 to 100 ms at the usual cost, so the last one waits 1 to 2 s. */
const QUEUE_LENGTH = 16
const REMEMBERED_RESULTS = 100

const RETRY = { 'Retry-After': '1' }
const UNAUTHORIZED = new HttpError(401, 'unauthorized', { 'WWW-Authenticate': 'Basic' })
const TOO_MANY_ATTEMPTS = new HttpError(429, 'too many failed attempts', RETRY)
const BUSY = new HttpError(503, 'busy', RETRY)

/**
 * Basic authentication against bcrypt hashes. An unknown user name is compared with a decoy hash, so that it takes as
 * long as a wrong password. Only failed comparisons use up attempts. Remembered results need no attempt, so that a
 * client that has authenticated before is not locked out by guesses from the same address.
 *
 * A comparison is expensive by design: results are remembered, equal requests share one comparison, and only one
 * comparison runs at a time. Failures are remembered too, because a scraper with a wrong password repeats it at every
 * scrape. They are kept apart from successes, so that guesses do not evict successes.
 */
export function createBasicAuth({ log, now, signal, compare = bcryptCompare }: BasicAuthOptions) {
  const digest = createDigest()
  const decoyFor = createDecoy()
  const successes = new BoundedMap<string, true>(REMEMBERED_RESULTS)
  const failures = new BoundedMap<string, true>(REMEMBERED_RESULTS)
  const running = new Map<string, Result>()
  const queue = new PQueue({ concurrency: 1 })
  const attemptsOf = createTokenBuckets(ATTEMPTS, REMEMBERED_ADDRESSES, now)
  const countFailure = createRefusalCount(log, 'basic authentication failed')
  const countLockout = createRefusalCount(log, 'basic authentication locked out after too many failures')

  function compareOnce(key: string, password: string, hash: string): Result {
    if (queue.size + queue.pending >= QUEUE_LENGTH) return Promise.resolve(undefined)
    const result = queue
      .add(async () => {
        const isRight = signal.aborted ? undefined : await compare(password, hash, signal)
        if (isRight !== undefined) (isRight ? successes : failures).set(key, true)
        return isRight
      })
      .finally(() => running.delete(key))
    running.set(key, result)
    return result
  }

  return {
    /** Undefined if the user exists and the password is correct. Failed attempts are counted by address. */
    async check(
      authorization: string | undefined,
      address: string,
      users: Users,
    ): Promise<HttpError | undefined> {
      const credentials = readCredentials(authorization)
      if (credentials === undefined) return UNAUTHORIZED
      const { user, password } = credentials
      const hash = (users.get(user) ?? decoyFor(users)).reveal()
      const key = digest(user, password, hash)
      if (successes.get(key)) return undefined
      if (failures.get(key)) return UNAUTHORIZED
      const shared = running.get(key)
      if (shared !== undefined) return errorFor(await shared)
      // Nothing is awaited before the comparison is known to the others.
      const bucket = attemptsOf(address)
      if (!bucket.take()) {
        countLockout({ address, status: TOO_MANY_ATTEMPTS.status })
        return TOO_MANY_ATTEMPTS
      }
      const isRight = await compareOnce(key, password, hash)
      if (isRight === false) countFailure({ address, status: UNAUTHORIZED.status })
      else bucket.giveBack()
      return errorFor(isRight)
    },
  }
}

/** @param isRight undefined if the password was not compared */
function errorFor(isRight: boolean | undefined): HttpError | undefined {
  if (isRight === undefined) return BUSY
  return isRight ? undefined : UNAUTHORIZED
}

/** Accepts `Basic` with strict base64 of UTF-8 text that contains a colon; undefined for anything else. */
function readCredentials(authorization: string | undefined) {
  const [, base64] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? []
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  return isUtf8(bytes) && colon >= 0
    ? { user: text.slice(0, colon), password: text.slice(colon + 1) }
    : undefined
}

/** A random hash with the highest bcrypt cost among the users. */
function createDecoy() {
  // 22 characters of salt and 31 of hash; hexadecimal digits are valid in the base64 alphabet of bcrypt.
  const tail = randomBytes(27).toString('hex').slice(0, 53)
  return (users: Users): Pick<Secret, 'reveal'> => {
    const costs = [...users.values()].map((hash) => hash.reveal().slice(4, 6))
    const cost = costs.reduce((highest, next) => (next > highest ? next : highest), '04')
    return { reveal: () => `$2b$${cost}$${tail}` }
  }
}

/** A key that does not tell the password. */
function createDigest() {
  const secret = randomBytes(32)
  return (...parts: readonly string[]): string =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64')
}

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
