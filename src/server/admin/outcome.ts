import { ApiError } from '../../api/errors/errors.ts'
import { Abandoned, UnknownOutcome } from '../../api/providers/deletion.ts'
import type { DeletionOutcome } from './audit.ts'
import { fromApiError, Refused } from './errors.ts'

const SERVER_ERROR = 500

/** The HTTP status for a failure. */
export function statusOf(failure: unknown): number {
  const refused = failure instanceof ApiError ? fromApiError(failure) : failure
  return refused instanceof Refused ? refused.status : SERVER_ERROR
}

/** The audit outcome of a deletion that failed. */
export function outcomeOf(failure: unknown): DeletionOutcome {
  if (failure instanceof UnknownOutcome) return 'unknown'
  if (failure instanceof Abandoned) return 'abandoned'
  return statusOf(failure) < SERVER_ERROR ? 'refused' : 'failed'
}
