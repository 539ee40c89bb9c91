import type { Audit, LoginFacts } from '../../administration/audit.ts'
import { outcomeOf, statusOf, TOO_MANY_STATUS } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'

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

/** Counts a token that the system refuses, and one that is not sent because too many were refused before. */
export async function countedToken<T>(audit: Audit, address: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (failure) {
    const status = statusOf(failure)
    if (failure instanceof ApiError && failure.reason === 'auth') audit.countRefusedToken({ address, status })
    else if (status === TOO_MANY_STATUS) audit.countLockout({ address, status })
    throw failure
  }
}
