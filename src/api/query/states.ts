import type { Reason } from '../errors/reasons.ts'

/** What a failure means for the query interface; other reasons are failures of the request. */
const STATES: Partial<Readonly<Record<Reason, string>>> = {
  not_found: 'not there',
  forbidden: 'the account lacks the role',
  client_error: 'queries are refused',
}

/** The state of the query interface after a failed poll, in words. */
export function failureState(reason: Reason): string {
  return STATES[reason] ?? 'the last poll failed'
}
