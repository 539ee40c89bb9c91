import { randomUUID } from 'node:crypto'
import { EmulatedError, type ErrorName } from '../protocol/errors.ts'
import type { Role } from '../protocol/profiles.ts'

/** The accounts of the emulator, each with a permanent token; all have {@link PASSWORD}. */
export const ACCOUNTS = {
  monitor: { role: 'SYSTEM_MONITOR', token: 'emulator-monitor' },
  admin: { role: 'SYSTEM_ADMIN', token: 'emulator-admin' },
  security: { role: 'SECURITY_ADMIN', token: 'emulator-security' },
} as const satisfies Record<string, { readonly role: Role; readonly token: string }>
export type User = keyof typeof ACCOUNTS

/** @throws EmulatedError the refusal, if the user has none of the roles */
export function checkRole(user: User, roles: readonly Role[], refusal: ErrorName = 'forbidden'): void {
  if (roles.includes(ACCOUNTS[user].role)) return
  const details = `Insufficient permissions for user ${user}. It needs ${roles.join(' or ')}.`
  // Real systems send no details with this code.
  throw new EmulatedError(refusal, refusal === 'noPermission' ? '' : details)
}

export const PASSWORD = 'emulator'

const HOUR_MS = 3_600_000

/** Limits of real systems. */
const TOKEN_LIFE_MS = 8 * HOUR_MS
const TOKEN_IDLE_MS = 2 * HOUR_MS
const TOKENS_PER_USER = 100

interface Session {
  readonly user: User
  readonly isPermanent: boolean
  readonly created: number
  used: number
  uses: number
}

/** The valid tokens and their users. All times are those of `clock`, in milliseconds. */
export type Sessions = ReturnType<typeof createSessions>

export function createSessions(clock: () => number) {
  const sessions = new Map<string, Session>()
  let maxUses = Number.POSITIVE_INFINITY
  const add = (token: string, user: User, isPermanent: boolean) =>
    sessions.set(token, { user, isPermanent, created: clock(), used: clock(), uses: 0 })
  const addPermanent = () => {
    for (const [user, { token }] of Object.entries(ACCOUNTS)) add(token, user as User, true)
  }
  const isLive = ({ uses, created, used, isPermanent }: Session) =>
    uses < maxUses && (isPermanent || (clock() - created < TOKEN_LIFE_MS && clock() - used < TOKEN_IDLE_MS))
  const live = (user: User) =>
    [...sessions.values()].filter((one) => one.user === user && !one.isPermanent && isLive(one)).length
  const removeIf = (condition: (session: Session, token: string) => boolean) => {
    for (const [token, session] of sessions) if (condition(session, token)) sessions.delete(token)
  }
  addPermanent()
  return {
    live,
    /** @throws EmulatedError 401 for wrong credentials (code 401) or too many tokens (code 4000) */
    login: (user: string, password: string): string => {
      if (!isUser(user) || password !== PASSWORD)
        throw new EmulatedError('badCredentials', 'Access is denied due to invalid or expired credentials')
      removeIf((session) => !session.isPermanent && !isLive(session))
      if (live(user) >= TOKENS_PER_USER) {
        throw new EmulatedError('unauthenticated', 'Max number of tokens exceeded for this user')
      }
      // In the format of real systems.
      const token = `BAAc${Buffer.from(randomUUID()).toString('base64')}`
      add(token, user, false)
      return token
    },
    /** The user of a valid token; counts a use of the token. */
    userOf: (token: string): User | undefined => {
      const session = sessions.get(token)
      if (session === undefined || !isLive(session)) return undefined
      session.used = clock()
      session.uses++
      return session.user
    },
    logout: (token: string): void => removeIf((one, other) => !one.isPermanent && other === token),
    /** Limits the uses of each token; 0 revokes the existing and the permanent tokens. */
    limitUses: (uses: number | undefined): void => {
      // A token that is invalid under the old limit stays invalid under the new one.
      removeIf((session) => uses === 0 || session.isPermanent || session.uses >= maxUses)
      for (const session of sessions.values()) session.uses = 0
      maxUses = uses === undefined || uses === 0 ? Number.POSITIVE_INFINITY : uses
      if (uses !== 0) addPermanent()
    },
  }
}

function isUser(name: string): name is User {
  return Object.hasOwn(ACCOUNTS, name)
}
