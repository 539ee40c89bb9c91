import type { Context } from 'koa'
import type { Audit, LoginFacts } from '../../administration/audit.ts'
import { outcomeOf, statusOf, TOO_MANY_STATUS } from '../../administration/errors.ts'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Secret } from '../../values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import type { RateLimits } from './rate_limits.ts'
import { callerToken, checkNoQuery, systemOf } from './request.ts'
import type { AdminSystems } from './systems.ts'

export interface SystemRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** Audits a login that fails, and one that is not sent because too many failed before. */
export async function auditedLogin<T>(audit: Audit, facts: LoginFacts, login: () => Promise<T>): Promise<T> {
  try {
    return await login()
  } catch (failure) {
    const status = statusOf(failure)
    if (failure instanceof ApiError)
      await audit.failedLogin(facts, outcomeOf(failure) === 'refused' ? 'refused' : 'failed', status)
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address: facts.address, status })
    throw failure
  }
}

/** Within the rate limits. Counts tokens that are refused, or not sent because too many were refused before. */
export async function withToken<T>(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
  send: (client: AdminClient, token: Secret) => Promise<T>,
): Promise<T> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  const address = clientAddress(context.req.socket)
  try {
    return await rateLimits.withToken(address, name, () => send(client, token))
  } catch (failure) {
    const status = statusOf(failure)
    if (failure instanceof ApiError && failure.reason === 'auth') audit.countRefusedToken({ address, status })
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address, status })
    throw failure
  }
}
