import { randomUUID } from 'node:crypto'
import { ApiError } from '../protocol/errors.ts'
import { ACCOUNTS, isUser, PASSWORD, type User } from './accounts.ts'

const HOUR_MS = 3_600_000

/** As real systems have them by default. */
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

/** Tokens and who holds them. All times are those of `clock`, in milliseconds. */
export interface Sessions {
  /** @throws ApiError 401 for wrong credentials (code 401), a locked address or too many tokens (code 4000) */
  readonly login: (user: string, password: string, address: string) => string
  /** Whose token it is, if it is valid; counts as a use of it. */
  readonly holder: (token: string) => User | undefined
  /** `all`: every token of the user, not only this one. */
  readonly logout: (token: string, all: boolean) => void
  /** Lets a token die after so many uses; 0 kills those that exist, and those that were always there. */
  readonly limitUses: (uses: number | undefined) => void
  readonly live: (user: User) => number
}

export function createSessions(clock: () => number, limits: SessionLimits): Sessions {
  const sessions = new Map<string, Session>()
  const addresses = createLockOut(clock, limits)
  let mostUses = Number.POSITIVE_INFINITY
  let permanent = permanentSessions(clock())

  const isLive = (session: Session) =>
    session.uses < mostUses &&
    clock() - session.created < limits.tokenLifeMs &&
    clock() - session.used < limits.tokenIdleMs
  const live = (user: User) =>
    [...sessions.values()].filter((session) => session.user === user && isLive(session)).length
  const forgetDead = () => {
    for (const [token, session] of sessions) if (!isLive(session)) sessions.delete(token)
  }
  return {
    live,
    login: (user, password, address) => {
      addresses.check(address)
      if (!isUser(user) || password !== PASSWORD) throw addresses.refuse(address)
      addresses.forgive(address)
      forgetDead()
      if (live(user) >= limits.tokensPerUser) {
        throw new ApiError('unauthenticated', 'Max number of tokens exceeded for this user')
      }
      const token = newToken()
      sessions.set(token, { user, created: clock(), used: clock(), uses: 0 })
      return token
    },
    holder: (token) => {
      const session = permanent.get(token) ?? sessions.get(token)
      if (session === undefined || session.uses >= mostUses) return undefined
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
      // Who was dead under the old rule stays dead under the new one.
      for (const [token, session] of sessions) if (session.uses >= mostUses) sessions.delete(token)
      mostUses = uses === undefined || uses === 0 ? Number.POSITIVE_INFINITY : uses
      permanent = uses === 0 ? new Map() : permanentSessions(clock())
      for (const session of sessions.values()) session.uses = 0
      if (uses === 0) sessions.clear()
    },
  }
}

function permanentSessions(now: number): Map<string, Session> {
  return new Map(
    (Object.keys(ACCOUNTS) as User[]).map((user) => [
      ACCOUNTS[user].token,
      { user, created: now, used: now, uses: 0 },
    ]),
  )
}

/** As opaque as a real one. */
function newToken(): string {
  return `BAAc${Buffer.from(randomUUID()).toString('base64')}`
}

/** Too many wrong logins from one address, and it is not heard for a while, not even with the right password. */
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
    refuse: (address: string) => {
      wrong.set(address, { count: recent(address) + 1, last: clock() })
      return new ApiError('badCredentials', 'Access is denied due to invalid or expired credentials')
    },
    forgive: (address: string) => wrong.delete(address),
  }
}
