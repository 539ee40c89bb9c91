import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { createRefusalCount } from '../../administration/refusal_count.ts'
import type { Log } from '../../log.ts'
import { HttpError } from '../../values/http_error.ts'
import type { Secret } from '../../values/secret.ts'
import { createTokenBuckets } from '../../values/token_bucket.ts'
import { bcryptCompare } from './bcrypt.ts'
import { type Claim, type Compare, createPasswordCheck } from './password_check.ts'

/** bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, Secret>

export type BasicAuth = ReturnType<typeof createBasicAuth>

export interface BasicAuthOptions {
  readonly log: Log
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  /** Aborted when the listener stops: passwords are compared no more. */
  readonly signal: AbortSignal
  /** Default: bcrypt on another thread. */
  readonly compare?: Compare
}

const REMEMBERED_ADDRESSES = 1024
/** Failed attempts of one address: ten at once, then one per second. */
const ATTEMPTS = { burst: 10, intervalMs: 1000 } as const

const RETRY = { 'Retry-After': '1' }
const UNAUTHORIZED = new HttpError(401, 'unauthorized', { 'WWW-Authenticate': 'Basic' })
const TOO_MANY_ATTEMPTS = new HttpError(429, 'too many failed attempts', RETRY)
const BUSY = new HttpError(503, 'busy', RETRY)

/**
 * Basic authentication against bcrypt hashes. An unknown user name is compared with a decoy hash, so that it takes as
 * long as a wrong password. Only failed comparisons use up attempts. Remembered results need no attempt, so that a
 * client that has authenticated before is not locked out by guesses from the same address.
 */
export function createBasicAuth({ log, now, signal, compare = bcryptCompare }: BasicAuthOptions) {
  const passwords = createPasswordCheck(compare, signal)
  const decoyFor = createDecoy()
  const attemptsOf = createTokenBuckets(ATTEMPTS, REMEMBERED_ADDRESSES, now)
  const countFailure = createRefusalCount(log, 'basic authentication failed')
  const countLockout = createRefusalCount(log, 'basic authentication locked out after too many failures')

  const attempt = async (claim: Claim, address: string) => {
    const bucket = attemptsOf(address)
    if (!bucket.take()) {
      countLockout({ address, status: TOO_MANY_ATTEMPTS.status })
      return TOO_MANY_ATTEMPTS
    }
    const isRight = await passwords.compare(claim)
    if (isRight !== false) bucket.giveBack()
    if (isRight === false) countFailure({ address, status: UNAUTHORIZED.status })
    return errorFor(isRight)
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
      const hash = users.get(credentials.user)
      const claim = { ...credentials, isKnown: hash !== undefined, hash: (hash ?? decoyFor(users)).reveal() }
      const known = passwords.recall(claim)
      // No await between recall and attempt: equal claims must share one comparison.
      if (known === undefined) return attempt(claim, address)
      return errorFor(await known)
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
