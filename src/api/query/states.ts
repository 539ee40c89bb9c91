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

/** What to do about failures that concern the interface as a whole; the others have the remedies of all requests. */
export const QUERY_REMEDIES: Partial<Readonly<Record<Reason, string>>> = {
  not_found:
    'none for a Community Edition or a release before 3.5: set performance.source: feed to end the requests; otherwise check for a proxy that blocks the path',
  forbidden:
    'assign the role SYSTEM_MONITOR to the account, or set performance.source: feed; if it has the role, the system may refuse the host name in base_url',
  client_error: 'report these queries with the version of the system',
}

/** What to do about answers without current data. */
export const EMPTY_REMEDY =
  'wait for ten minutes after a restart of the system; then compare with its management interface'
