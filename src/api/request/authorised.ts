import { ApiError } from '../errors/errors.ts'
import { refusalOf } from '../http/refusals.ts'
import type { Grant, Session } from '../session/session.ts'
import { type Exchange, withToken } from './exchanges.ts'

/**
 * Sends requests with the session's token; a refused token is replaced, and the request repeated, once.
 * @throws {ApiError} for any refusal
 */
export function createAuthorised(exchange: Exchange, session: Session): Exchange {
  const send =
    (grant: Grant, asker: string): Exchange =>
    async (request, baseUrl, signal) => {
      const answer = await exchange(withToken(request, grant.token), baseUrl, signal)
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      session.noteAccepted(grant, asker)
      return answer
    }

  const sendAgain =
    (newer: Grant, asker: string): Exchange =>
    async (...request) => {
      try {
        return await send(newer, asker)(...request)
      } catch (failure) {
        if (isRefusedToken(failure) || mayBeExpired(failure)) session.noteUseless(newer, asker)
        throw failure
      }
    }

  return async (request, baseUrl, signal) => {
    const grant = await session.token(baseUrl, signal)
    const asker = request.pool === undefined ? request.operation : `${request.operation} of ${request.pool}`
    try {
      return await send(grant, asker)(request, baseUrl, signal)
    } catch (failure) {
      const newer = await newToken(failure, () => session.renew(grant, baseUrl, signal, asker))
      if (newer === undefined) throw failure
      return await sendAgain(newer, asker)(request, baseUrl, signal)
    }
  }
}

/** A newer token where that may help; undefined where it would not. */
async function newToken(
  failure: unknown,
  renew: () => Promise<Grant | undefined>,
): Promise<Grant | undefined> {
  if (isRefusedToken(failure)) return renew()
  // What is refused with a new token, too, wants a role: then the refusal tells more than a renewal that has to wait.
  if (!mayBeExpired(failure)) return undefined
  return renew().catch((cause: unknown) => {
    if (isRefusedToken(cause)) return undefined
    throw cause
  })
}

/** The front of some systems turns the 401 of an expired token into this, which elsewhere means a missing role. */
function mayBeExpired(failure: unknown): boolean {
  return failure instanceof ApiError && failure.status === 500 && failure.body?.code === EXPIRED_OR_FORBIDDEN
}

const EXPIRED_OR_FORBIDDEN = 6401

function isRefusedToken(failure: unknown): boolean {
  return failure instanceof ApiError && failure.reason === 'auth'
}
