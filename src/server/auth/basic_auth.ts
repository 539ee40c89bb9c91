import { randomBytes } from 'node:crypto'
import { compare as bcryptCompare } from 'bcryptjs'
import type { Secret } from '../../config/values/secret.ts'
import type { Log } from '../../log.ts'
import { type Claim, type Compare, createPasswordCheck } from './password_check.ts'
import type { Refusal } from './refusal.ts'
import { createTokenBuckets } from './token_bucket.ts'

/** bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, Secret>

export interface BasicAuth {
  /**
   * @param authorization the header as sent
   * @param address of the client, whose failed attempts are counted
   * @returns undefined for a known user with the right password
   */
  check(authorization: string | undefined, address: string, users: Users): Promise<Refusal | undefined>
}

export interface BasicAuthOptions {
  readonly log: Log
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
  /** bcrypt's own, unless a test counts the calls. */
  readonly compare?: Compare
}

const REMEMBERED_ADDRESSES = 1024
/** Wrong passwords of one address: ten at once, then one a second. */
const ATTEMPTS = { burst: 10, intervalMs: 1000 } as const

const UNAUTHORIZED: Refusal = {
  status: 401,
  text: 'unauthorized',
  headers: { 'WWW-Authenticate': 'Basic' },
}
const TOO_MANY_ATTEMPTS: Refusal = {
  status: 429,
  text: 'too many failed attempts',
  headers: { 'Retry-After': '1' },
}
const BUSY: Refusal = { status: 503, text: 'busy', headers: { 'Retry-After': '1' } }

/**
 * Basic authentication against bcrypt hashes. An unknown user takes the same way as a known one, to a hash that no
 * password has. Only attempts that need a comparison count as attempts, and only the failed ones in the end: what is
 * known already costs nothing, so that a flood of guesses does not shut out who was let in before.
 */
export function createBasicAuth({ log, now, compare = bcryptCompare }: BasicAuthOptions): BasicAuth {
  const passwords = createPasswordCheck(compare)
  const decoyFor = createDecoy()
  const attemptsOf = createTokenBuckets(ATTEMPTS, REMEMBERED_ADDRESSES, now)

  const attempt = async (claim: Claim, address: string) => {
    const bucket = attemptsOf(address)
    if (!bucket.take()) return TOO_MANY_ATTEMPTS
    const isRight = await passwords.compare(claim)
    if (isRight !== false) bucket.giveBack()
    if (isRight === undefined) return BUSY
    if (isRight) return undefined
    log.warn('basic authentication failed', { address })
    return UNAUTHORIZED
  }

  return {
    async check(authorization, address, users) {
      const credentials = readCredentials(authorization)
      if (credentials === undefined) return UNAUTHORIZED
      const hash = users.get(credentials.user)
      const claim = { ...credentials, isKnown: hash !== undefined, hash: (hash ?? decoyFor(users)).reveal() }
      const known = passwords.recall(claim)
      // not a moment between the two: equal claims would all find nothing, and all begin
      if (known === undefined) return attempt(claim, address)
      return (await known) ? undefined : UNAUTHORIZED
    },
  }
}

/** `Basic` and strict base64 of UTF-8 with a colon in it; anything else is no credentials at all. */
function readCredentials(authorization: string | undefined) {
  const [, base64] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? []
  if (base64 === undefined) return undefined
  const text = decodeUtf8(Buffer.from(base64, 'base64'))
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon === -1) return undefined
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** A hash as dear as the dearest of the users', of no password that anybody knows. */
function createDecoy() {
  // 22 characters of salt and 31 of hash in bcrypt's own base64, of which hexadecimal digits are a part
  const tail = randomBytes(27).toString('hex').slice(0, 53)
  return (users: Users): Pick<Secret, 'reveal'> => {
    const costs = [...users.values()].map((hash) => hash.reveal().slice(4, 6))
    const cost = costs.reduce((dearest, next) => (next > dearest ? next : dearest), '04')
    return { reveal: () => `$2b$${cost}$${tail}` }
  }
}
