/**
 * What a failure is about:
 * - `node`: one base URL, or a proxy in front of it; another base URL may answer
 * - `system`: the storage system as a whole
 * - `request`: this pool or this answer; the system works
 * - `local`: the exporter's own credentials, files and limits
 */
export type Origin = 'node' | 'system' | 'request' | 'local'

interface ReasonRow {
  /** First sentence of the error message; the error adds system, pool and path. */
  readonly text: string
  readonly origin: Origin
  /** Whether the same request may succeed within the same poll. */
  readonly retry: boolean
  /** Whether the system answered, if the error has no HTTP status. With a status it always did. */
  readonly answered: boolean
}

/** Why a request, and with it a poll, failed. */
export const REASONS = {
  timeout: {
    text: 'no complete answer within the time allowed',
    origin: 'node',
    retry: false,
    answered: false,
  },
  connect: { text: 'the connection could not be opened', origin: 'node', retry: true, answered: false },
  dns: { text: 'the host name could not be resolved', origin: 'node', retry: false, answered: false },
  tls: { text: 'the TLS handshake failed', origin: 'node', retry: false, answered: false },
  reset: {
    text: 'the connection broke before the answer was complete',
    origin: 'node',
    retry: true,
    answered: false,
  },
  redirect: {
    text: 'the system answered with a redirect, which is never followed',
    origin: 'node',
    retry: false,
    answered: true,
  },
  // Without a status: the login was refused before, and its cooldown is not over.
  auth: {
    text: 'the system did not accept the token or the login',
    origin: 'local',
    retry: false,
    answered: false,
  },
  forbidden: {
    text: 'the account lacks the role for this request',
    origin: 'request',
    retry: false,
    answered: true,
  },
  not_found: { text: 'the system has no such path', origin: 'request', retry: false, answered: true },
  throttled: { text: 'the system asks for fewer requests', origin: 'system', retry: false, answered: true },
  unavailable: {
    text: 'the system, or the proxy in front of it, is not available at the moment',
    origin: 'node',
    retry: true,
    answered: true,
  },
  server_error: {
    text: 'the system failed to answer (HTTP 5xx)',
    origin: 'system',
    retry: true,
    answered: true,
  },
  client_error: {
    text: 'the system refused the request (HTTP 4xx)',
    origin: 'request',
    retry: false,
    answered: true,
  },
  html: {
    text: 'the answer is an HTML page instead of data, perhaps from a proxy or a login form',
    origin: 'node',
    retry: false,
    answered: true,
  },
  encoding: {
    text: 'the answer has an unknown or broken encoding',
    origin: 'request',
    retry: false,
    answered: true,
  },
  too_large: {
    text: 'the answer is larger than the limit',
    origin: 'request',
    retry: false,
    answered: true,
  },
  syntax: { text: 'the answer is not valid JSON or XML', origin: 'request', retry: false, answered: true },
  schema: {
    text: 'the answer does not have the documented shape',
    origin: 'request',
    retry: false,
    answered: true,
  },
  local: {
    text: 'the exporter could not send the request',
    origin: 'local',
    retry: false,
    answered: false,
  },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof REASONS

/** Values of the label `result`: `ok`, or the reason of the failure. */
export type Result = 'ok' | Reason
export const RESULTS: readonly Result[] = ['ok', ...(Object.keys(REASONS) as Reason[])]
