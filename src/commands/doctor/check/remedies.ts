import { ApiError } from '../../../api/errors/errors.ts'
import type { Reason } from '../../../api/errors/reasons.ts'
import { exchangeFailure } from '../../../api/http/failures.ts'
import type { Finding } from './check.ts'

/** What to do about a request that failed; the failure itself says what happened. */
export const REMEDIES: Readonly<Record<Reason, string>> = {
  timeout:
    'raise poll.timeout, or find out what drops or slows the packets: a firewall, a busy management service',
  connect:
    'check host and port of base_url (4443 unless changed), firewalls, and the management service of that node',
  dns: 'correct the host name in base_url, or the name servers of this machine',
  tls: 'correct tls_config: ca_file, server_name, cert_file and key_file',
  reset:
    'check that the port of base_url is that of the management API, and what is in between; then try again',
  redirect: 'name the system itself in base_url, not what leads to it',
  auth: 'correct auth: the system does not know these credentials',
  forbidden:
    'give the account the role SYSTEM_MONITOR; if it has it, the system may refuse the host name in base_url (its list of accepted server names)',
  not_found: 'correct the id of the pool, or the path in base_url',
  throttled: 'lower limits.requests_per_second and limits.concurrency',
  unavailable: 'wait for the management service of the system to come up; if it does not, call support',
  server_error: 'look at the management service of the system; if it stays so, call support with this answer',
  client_error: 'report this answer with the version of the system',
  html: 'let this machine reach the system without a proxy or a login form in between, on the port of the management API',
  encoding: 'look for a proxy that changes answers; without one, report this with the version of the system',
  too_large: 'raise limits.max_response_bytes',
  syntax: 'look for a proxy that cuts answers; without one, report this with the version of the system',
  schema: 'report this with the version of the system',
  local: 'see to what is said here; it happened on this machine, not at the system',
}

/** A failure as an ApiError. @throws what is none, such as an abort */
export function asFailure(failure: unknown): ApiError {
  const known = exchangeFailure(failure)
  if (known instanceof ApiError && (failure instanceof ApiError || known.reason !== 'local')) return known
  throw failure
}

/** A failed request as a finding. @throws what is no failure of a request */
export function failed(failure: unknown, more: Partial<Finding> = {}): Finding {
  const { detail, reason } = asFailure(failure)
  return { status: 'fail', text: detail, remedy: REMEDIES[reason], ...more }
}
