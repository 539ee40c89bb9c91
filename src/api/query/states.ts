import type { ApiError } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'

/** The state of the query interface after a failed poll, in words. */
export function failureState(reason: Reason): string {
  return REASONS[reason].query?.state ?? 'the last poll failed'
}

/** What to do about a failure of the query interface. */
export function queryRemedyOf({ reason, remedy }: ApiError): string {
  const { query } = REASONS[reason]
  return query?.remedy ?? [remedy, ...(query?.choice === undefined ? [] : [query.choice])].join(', or ')
}

/** What to do about answers without current data. */
export const EMPTY_REMEDY =
  'wait for ten minutes after a restart of the system; then compare with its management interface'
