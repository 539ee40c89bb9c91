import type { Secret } from '../config/secret.ts'
import { ApiError } from './errors.ts'
import { type Exchange, withToken } from './exchanges.ts'
import { refusalOf } from './refusals.ts'
import type { Session } from './session.ts'

/**
 * Sends requests with the session's token; a refused token is replaced, and the request repeated, once.
 * @throws {ApiError} for any refusal
 */
export function createAuthorised(exchange: Exchange, session: Session): Exchange {
  const send =
    (token: Secret): Exchange =>
    async (request, baseUrl, signal) => {
      const answer = await exchange(withToken(request, token), baseUrl, signal)
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      return answer
    }

  const sendAgain =
    (newer: Secret): Exchange =>
    async (...request) => {
      try {
        const answer = await send(newer)(...request)
        session.renewed(true)
        return answer
      } catch (failure) {
        if (isRefusedToken(failure)) session.renewed(false)
        throw failure
      }
    }

  return async (request, baseUrl, signal) => {
    const token = await session.token(baseUrl, signal)
    try {
      return await send(token)(request, baseUrl, signal)
    } catch (failure) {
      const newer = isRefusedToken(failure) ? await session.renew(token, baseUrl, signal) : undefined
      if (newer === undefined) throw failure
      return await sendAgain(newer)(request, baseUrl, signal)
    }
  }
}

function isRefusedToken(failure: unknown): boolean {
  return failure instanceof ApiError && failure.reason === 'auth'
}
