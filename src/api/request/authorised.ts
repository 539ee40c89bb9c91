import type { Secret } from '../../values/secret.ts'
import { ApiError } from '../errors/errors.ts'
import { type Exchange, tokenRequest } from '../http/exchanges.ts'
import { refusalOf } from '../http/refusals.ts'
import type { HttpResponse } from '../http/transport.ts'
import { type Session, UNSTEADY_REMEDY } from '../session/login_session.ts'

/**
 * Sends requests with the session's token; a refused token is replaced, and the request repeated, once.
 * @throws {ApiError} for any refusal
 */
export function createAuthorised(exchange: Exchange, session: Session): Exchange {
  async function send(token: Secret, [request, baseUrl, signal]: Parameters<Exchange>) {
    const response = await exchange(tokenRequest(request, token), baseUrl, signal)
    const refusal = (request.refusalOf ?? refusalOf)(response)
    if (refusal !== undefined) throw refusal
    session.accepted(token, request.path)
    return { ...response, decode: reportingHtmlToSession(response.decode, token, request.path) }
  }

  function reportingHtmlToSession(
    decode: HttpResponse['decode'],
    token: Secret,
    path: string,
  ): HttpResponse['decode'] {
    return async (use) => {
      try {
        const decoded = await decode(use)
        session.decoded()
        return decoded
      } catch (failure) {
        if (failure instanceof ApiError && failure.reason === 'html') session.gotPage(token, path)
        throw failure
      }
    }
  }

  async function sendAgain(newer: Secret, call: Parameters<Exchange>) {
    try {
      return await send(newer, call)
    } catch (failure) {
      if (mayBeExpired(failure)) session.renewalRefused(call[0].path)
      throw failure
    }
  }

  return async (...call) => {
    const [request, baseUrl, signal] = call
    const token = await session.token(baseUrl, signal)
    try {
      return await send(token, call)
    } catch (failure) {
      if (!mayBeExpired(failure)) throw failure
      const newer = await session.renew(token, request.path, baseUrl, signal)
      if (newer === undefined)
        throw session.isUnsteady() ? failure.with({ remedy: UNSTEADY_REMEDY }) : failure
      return await sendAgain(newer, call)
    }
  }
}

/** In front of some systems a proxy turns the 401 of an expired token into this; elsewhere it is a missing role. */
const EXPIRED_OR_FORBIDDEN_CODE = 6401

function mayBeExpired(failure: unknown): failure is ApiError {
  if (!(failure instanceof ApiError)) return false
  return (
    failure.reason === 'auth' || (failure.status === 500 && failure.body?.code === EXPIRED_OR_FORBIDDEN_CODE)
  )
}
