import { ApiError } from '../../../api/errors/errors.ts'
import { exchangeFailure } from '../../../api/http/failures.ts'
import type { Finding } from './check.ts'

/** A failure of a request as an ApiError. @throws any other error, such as an abort */
export function asFailure(failure: unknown): ApiError {
  const known = exchangeFailure(failure)
  if (known instanceof ApiError && (failure instanceof ApiError || known.reason !== 'local')) return known
  throw failure
}

/** A failed request as a finding. @throws any other error */
export function failed(failure: unknown, more: Partial<Finding> = {}): Finding {
  const known = asFailure(failure)
  return { status: 'fail', text: known.detail, remedy: known.remedy, ...more }
}
