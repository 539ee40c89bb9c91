import type { Secret } from '../config/secret.ts'
import { untilAborted, withDeadline } from './deadline.ts'
import { ApiError } from './errors.ts'
import { createLoginAttempts, type Login } from './login_attempts.ts'
import { createRenewalDoubts } from './renewal_doubts.ts'
import type { LoginOptions, Session } from './session.ts'
import { createTokenReturns } from './token_returns.ts'

/** Tokens live for 8 h, and 2 h without use, by the manufacturer's guide; renewed with a margin. */
const MAX_AGE_MS = 7.5 * 3_600_000
const MAX_IDLE_MS = 1.75 * 3_600_000
/** How long the end waits for a login under way; the exporter must not hang on a dead system. */
const LAST_LOGIN_TIMEOUT_MS = 2000

interface Ticket extends Login {
  readonly since: number
  usedAt: number
}

/** A session whose token comes from a login, is replaced before it dies or when it is refused, and is given back. */
export function createLoginSession(options: LoginOptions): Session {
  const { timeoutMs, now } = options
  const logIn = createLoginAttempts(options)
  const giveBack = createTokenReturns(options)
  const doubts = createRenewalDoubts(options)
  const closing = new AbortController()
  let closed = false
  let ticket: Ticket | undefined
  let pending: Promise<Ticket> | undefined

  /**
   * Gives the old token back and logs in, once for all who ask meanwhile. It has a time limit of its own: whoever
   * asked first may leave, and a login that is cut off may leave a token behind that nobody knows.
   */
  function replace(baseUrl: string): Promise<Ticket> {
    pending ??= (async () => {
      await endWith(ticket)
      const login = await withDeadline(closing.signal, timeoutMs, (signal) => logIn(baseUrl, signal))
      ticket = { ...login, since: now(), usedAt: now() }
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
  function isFresh({ since, usedAt }: Ticket): boolean {
    const [age, idle] = [now() - since, now() - usedAt]
    return age >= 0 && age < MAX_AGE_MS && idle >= 0 && idle < MAX_IDLE_MS
  }

  async function use(good: Ticket | undefined, baseUrl: string, signal: AbortSignal): Promise<Secret> {
    if (closed) throw new ApiError('local', 'the session has been closed')
    const used = good ?? (await untilAborted(replace(baseUrl), signal))
    used.usedAt = now()
    return used.token
  }

  return {
    token: async (baseUrl, signal) => use(ticket && isFresh(ticket) ? ticket : undefined, baseUrl, signal),
    async renew(refused, baseUrl, signal, asker) {
      if (!ticket?.token.equals(refused)) return use(ticket, baseUrl, signal)
      doubts.check(asker, ticket.password)
      return use(undefined, baseUrl, signal)
    },
    noteRenewal(helped, asker) {
      if (helped) doubts.end(asker)
      else if (ticket !== undefined) doubts.begin(asker, ticket.password)
    },
    isDoubted: doubts.has,
    async close() {
      closed = true
      const giveUp = setTimeout(() => closing.abort(), LAST_LOGIN_TIMEOUT_MS)
      const last = pending === undefined ? ticket : await pending.catch(() => undefined)
      clearTimeout(giveUp)
      await endWith(last)
    },
  }
}
