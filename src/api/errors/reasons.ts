/**
 * Why a request, and with it a poll, failed: the closed list behind `sds_pool_polls_total{result}`.
 * The sentence is what a person is told first; the error adds system, pool and path.
 */
export const REASONS = {
  timeout: 'no complete answer within the time allowed',
  connect: 'the connection could not be opened',
  dns: 'the host name could not be resolved',
  tls: 'the TLS connection was refused by one of the two sides',
  reset: 'the connection broke before the answer was complete',
  redirect: 'the system answered with a redirect, which is never followed',
  auth: 'the system did not accept the token or the login',
  forbidden: 'the account lacks the role for this request',
  not_found: 'the system knows nothing under this path',
  throttled: 'the system asks for fewer requests',
  unavailable: 'the system says that it is not available at the moment',
  server_error: 'the system failed to answer (HTTP 5xx)',
  client_error: 'the system refused the request (HTTP 4xx)',
  html: 'an HTML page came instead of data, perhaps from a proxy or a login form',
  encoding: 'the answer has an unknown or broken encoding',
  too_large: 'the answer is larger than the limit',
  syntax: 'the answer is not valid JSON or XML',
  schema: 'the answer does not have the documented shape',
  local: 'the exporter itself could not send the request',
} as const

export type Reason = keyof typeof REASONS
