import type { ApiError } from './errors/errors.ts'
import type { Reason } from './errors/reasons.ts'
import { failureCode } from './http/failures.ts'
import { SPEAKS_TLS } from './http/hints.ts'

/** Remedies of failed requests, by reason: one sentence each, without a full stop. */
const REMEDIES: Readonly<Record<Reason, string>> = {
  timeout:
    'increase poll.timeout, or check for firewalls that drop packets and for a busy management service',
  connect:
    'check host and port of base_url (4443 unless changed), firewalls, and the management service of that node',
  dns: 'correct the host name in base_url, or the name servers of this machine',
  tls: 'correct tls_config: ca_file, server_name, cert_file and key_file',
  reset:
    'check that the port of base_url is that of the management API, check firewalls and proxies, then retry',
  redirect: 'set base_url to the address of the system itself, not of something that redirects to it',
  auth: 'correct auth: the system does not accept these credentials',
  forbidden:
    'assign the role SYSTEM_MONITOR to the account; if it has the role, the system may refuse the host name in base_url (list of accepted server names)',
  not_found: 'correct the id of the pool, or the path in base_url',
  throttled: 'lower limits.requests_per_second and limits.concurrency',
  unavailable: 'wait until the management service of the system is available; otherwise contact support',
  server_error:
    'check the management service of the system; if the error persists, contact support with this response',
  client_error: 'report this response with the version of the system',
  html: 'connect to the port of the management API, without a proxy or a login form in between',
  encoding:
    'check for a proxy that changes responses; without one, report this with the version of the system',
  too_large: 'if the system is that large, increase limits.max_response_bytes and the memory limit',
  syntax:
    'check for a proxy that truncates responses; without one, report this with the version of the system',
  schema: 'report this with the version of the system',
  local: 'correct this error of the local machine; the system is not the cause',
}

/** What OpenSSL reports for an answer in plain HTTP. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_SMALL|HTTP_REQUEST)$/

/** The remedy of a failed request. */
export function remedyOf(failure: ApiError): string {
  if (failure.detail.includes(SPEAKS_TLS)) return 'write https:// in base_url'
  if (NOT_TLS.test(failureCode(failure.cause)))
    return 'correct the port in base_url (4443 unless changed); if this is the port of the management API, write http://, which sends the password and the token unencrypted'
  return REMEDIES[failure.reason]
}
