import type { Secret } from '../../config/values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import { untilAborted, withDeadline } from '../http/deadline.ts'
import { createLoginAttempts } from './login_attempts.ts'
import { createRenewalDoubts } from './renewal_doubts.ts'
import type { Grant, LoginOptions, Session } from './session.ts'
import { createTokenReturns } from './token_returns.ts'

/** Tokens live for 8 h, and 2 h without use, by the manufacturer's guide; renewed with a margin. */
const MAX_AGE_MS = 7.5 * 3_600_000
const MAX_IDLE_MS = 1.75 * 3_600_000
/** How long the end waits for a login under way; the exporter must not hang on a dead system. */
const LAST_LOGIN_TIMEOUT_MS = 2000

interface Ticket {
  readonly token: Secret
  readonly password: Secret
  readonly since: number
  usedAt: number
  /** The last grant of it that was accepted; 0: none yet. */
  accepted: number
  /** It was refused and is to be replaced, be it later: nobody is to send it again. */
  isDead: boolean
}

/** A session whose token comes from a login, is replaced before it dies or when it is refused, and is given back. */
export function createLoginSession(options: LoginOptions): Session {
  const { timeoutMs, now } = options
  const logins = createLoginAttempts(options)
  const giveBack = createTokenReturns(options)
  const doubts = createRenewalDoubts(options)
  const closing = new AbortController()
  let closed = false
  let grants = 0
  let ticket: Ticket | undefined
  let pending: Promise<Ticket> | undefined

  /**
   * Gives the old token back and logs in, once for all who ask meanwhile. It has a time limit of its own: whoever
   * asked first may leave, and a login that is cut off may leave a token behind that nobody knows.
   */
  function replace(baseUrl: string): Promise<Ticket> {
    pending ??= (async () => {
      const password = await logins.allowed(baseUrl)
      await endWith(ticket)
      const token = await withDeadline(closing.signal, timeoutMs, (signal) =>
        logins.logIn(baseUrl, password, signal),
      )
      ticket = { token, password, since: now(), usedAt: now(), accepted: 0, isDead: false }
      return ticket
    })().finally(() => {
      pending = undefined
    })
    return pending
  }

  async function endWith(last: Ticket | undefined): Promise<void> {
    ticket = undefined
    await giveBack(last?.token)
  }

  /** A clock that was set back makes no token younger: such a one is replaced as well. */
  function isFresh({ since, usedAt, isDead }: Ticket): boolean {
    if (isDead) return false
    const [age, idle] = [now() - since, now() - usedAt]
    return age >= 0 && age < MAX_AGE_MS && idle >= 0 && idle < MAX_IDLE_MS
  }

  async function use(good: Ticket | undefined, baseUrl: string, signal: AbortSignal): Promise<Grant> {
    if (closed) throw new ApiError('local', 'the session has been closed')
    const used = good ?? (await untilAborted(replace(baseUrl), signal))
    used.usedAt = now()
    grants += 1
    return { token: used.token, number: grants }
  }

  /** The ticket of a grant, if it has not been replaced. */
  function ticketOf({ token }: Grant): Ticket | undefined {
    return ticket?.token.equals(token) ? ticket : undefined
  }

  return {
    token: async (baseUrl, signal) => use(ticket && isFresh(ticket) ? ticket : undefined, baseUrl, signal),
    async renew(refused, baseUrl, signal, asker) {
      const current = ticketOf(refused)
      if (current === undefined) return use(ticket?.isDead ? undefined : ticket, baseUrl, signal)
      // It was accepted after it had been refused: it is not the token that is refused, but this request.
      if (current.accepted > refused.number) return undefined
      doubts.check(asker, current.password, current.accepted > 0)
      current.isDead = true
      return use(undefined, baseUrl, signal)
    },
    noteAccepted(grant, asker) {
      const current = ticketOf(grant)
      if (current !== undefined) current.accepted = Math.max(current.accepted, grant.number)
      doubts.end(asker)
    },
    noteUseless(grant, asker) {
      const current = ticketOf(grant)
      // One that was replaced meanwhile was refused for that reason.
      if (current !== undefined) doubts.begin(asker, current.password, current.accepted > 0)
    },
    async close() {
      closed = true
      const giveUp = setTimeout(() => closing.abort(), LAST_LOGIN_TIMEOUT_MS)
      const last = pending === undefined ? ticket : await pending.catch(() => ticket)
      clearTimeout(giveUp)
      await endWith(last)
    },
  }
}
