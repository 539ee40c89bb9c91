import { randomUUID } from 'node:crypto'
import { ApiError } from '../protocol/errors.ts'
import { ACCOUNTS, PASSWORD, type User } from './accounts.ts'

const HOUR_MS = 3_600_000

/** Defaults of real systems. */
export const SESSION_LIMITS = {
  tokenLifeMs: 8 * HOUR_MS,
  tokenIdleMs: 2 * HOUR_MS,
  tokensPerUser: 100,
  wrongLogins: 10,
  lockOutMs: 600_000,
} as const
export type SessionLimits = { readonly [Limit in keyof typeof SESSION_LIMITS]: number }

interface Session {
  readonly user: User
  readonly created: number
  used: number
  uses: number
}

/** The valid tokens and their users. All times are those of `clock`, in milliseconds. */
export interface Sessions {
  /** @throws ApiError 401 for wrong credentials (code 401), a locked address or too many tokens (code 4000) */
  readonly login: (user: string, password: string, address: string) => string
  /** The user of a valid token; counts a use of the token. */
  readonly userOf: (token: string) => User | undefined
  /** `all`: revokes every token of the user. */
  readonly logout: (token: string, all: boolean) => void
  /** Limits the uses of each token; 0 revokes the existing and the permanent tokens. */
  readonly limitUses: (uses: number | undefined) => void
  /** Number of valid tokens of a user that were created by logins. */
  readonly live: (user: User) => number
}

export function createSessions(clock: () => number, limits: SessionLimits): Sessions {
  const sessions = new Map<string, Session>()
  const lockOut = createLockOut(clock, limits)
  let maxUses = Number.POSITIVE_INFINITY
  let permanent = permanentSessions(clock())

  const isLive = (session: Session) =>
    session.uses < maxUses &&
    clock() - session.created < limits.tokenLifeMs &&
    clock() - session.used < limits.tokenIdleMs
  const live = (user: User) =>
    [...sessions.values()].filter((session) => session.user === user && isLive(session)).length
  const removeExpired = () => {
    for (const [token, session] of sessions) if (!isLive(session)) sessions.delete(token)
  }
  return {
    live,
    login: (user, password, address) => {
      lockOut.check(address)
      if (!isUser(user) || password !== PASSWORD) throw lockOut.recordFailure(address)
      lockOut.reset(address)
      removeExpired()
      if (live(user) >= limits.tokensPerUser) {
        throw new ApiError('unauthenticated', 'Max number of tokens exceeded for this user')
      }
      const token = newToken()
      sessions.set(token, { user, created: clock(), used: clock(), uses: 0 })
      return token
    },
    userOf: (token) => {
      const session = permanent.get(token) ?? sessions.get(token)
      if (session === undefined || session.uses >= maxUses) return undefined
      if (sessions.has(token) && !isLive(session)) return undefined
      session.used = clock()
      session.uses++
      return session.user
    },
    logout: (token, all) => {
      const user = (permanent.get(token) ?? sessions.get(token))?.user
      sessions.delete(token)
      if (!all || user === undefined) return
      for (const [other, session] of sessions) if (session.user === user) sessions.delete(other)
    },
    limitUses: (uses) => {
      // A token that is invalid under the old limit stays invalid under the new one.
      for (const [token, session] of sessions) if (session.uses >= maxUses) sessions.delete(token)
      maxUses = uses === undefined || uses === 0 ? Number.POSITIVE_INFINITY : uses
      permanent = uses === 0 ? new Map() : permanentSessions(clock())
      for (const session of sessions.values()) session.uses = 0
      if (uses === 0) sessions.clear()
    },
  }
}

function isUser(name: string): name is User {
  return Object.hasOwn(ACCOUNTS, name)
}

function permanentSessions(now: number): Map<string, Session> {
  return new Map(
    (Object.keys(ACCOUNTS) as User[]).map((user) => [
      ACCOUNTS[user].token,
      { user, created: now, used: now, uses: 0 },
    ]),
  )
}

/** In the format of real tokens. */
function newToken(): string {
  return `BAAc${Buffer.from(randomUUID()).toString('base64')}`
}

/** After too many wrong logins from one address, all its logins are refused for a while, also correct ones. */
function createLockOut(clock: () => number, limits: SessionLimits) {
  const wrong = new Map<string, { count: number; last: number }>()
  const recent = (address: string) => {
    const entry = wrong.get(address)
    return entry !== undefined && clock() - entry.last < limits.lockOutMs ? entry.count : 0
  }
  return {
    check: (address: string) => {
      if (recent(address) < limits.wrongLogins) return
      throw new ApiError(
        'unauthenticated',
        'Exceeding invalid login limit from this client. Try again later.',
      )
    },
    recordFailure: (address: string) => {
      wrong.set(address, { count: recent(address) + 1, last: clock() })
      return new ApiError('badCredentials', 'Access is denied due to invalid or expired credentials')
    },
    reset: (address: string) => wrong.delete(address),
  }
}
