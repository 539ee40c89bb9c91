/**
 * What a failure is about:
 * - `endpoint`: one base URL, or a proxy in front of it; another base URL may respond
 * - `system`: the storage system as a whole
 * - `request`: this pool or this response; the system works
 * - `local`: the exporter's own credentials, files and limits
 */
type Origin = 'endpoint' | 'system' | 'request' | 'local'

interface ReasonRow {
  /** First sentence of the error message; the error adds system, pool and path. */
  readonly text: string
  /** What to do about it: one sentence without a full stop. */
  readonly remedy: string
  readonly origin: Origin
  /**
   * What came back, if the error has no HTTP status: `received` a response, `lost`: the request may have been processed,
   * `none`: it was not.
   */
  readonly response: 'received' | 'lost' | 'none'
  /** The same request may succeed within the same poll. */
  readonly retry?: true
  /** The member `retryable` of the error for callers of the administration, if the system sent none. */
  readonly retryable?: true
  /** The HTTP status for callers of the administration; undefined: that of the system, else 502. */
  readonly callerStatus?: 401 | 500 | 504
  /** The system does not have what was requested, or the account may not read it. */
  readonly notAvailable?: true
  /** The system may not support the request, while others work. */
  readonly unsupported?: true
  /** A request for a shorter range of time may succeed. */
  readonly rangeDependent?: true
  /** Every query of the Flux API would fail for this reason. */
  readonly allQueries?: true
  /** The Flux API is not there, or may not be used: it is polled less often. */
  readonly pausesQueries?: true
  /** With port 443 in the base URL, the web portal of the system may have responded. */
  readonly mayBePortal?: true
  /**
   * What the failure means for the Flux API, and its remedy there: instead of that of the failure, or as another
   * choice. Other reasons are failures of the request.
   */
  readonly query?: { readonly state: string; readonly remedy?: string; readonly choice?: string }
}

/** Why a request, and with it a poll, failed. */
const ROWS = {
  timeout: {
    text: 'no complete response within the time allowed',
    remedy:
      'increase poll.timeout, or check for firewalls that drop packets and for a busy management service',
    origin: 'endpoint',
    response: 'lost',
    retryable: true,
    callerStatus: 504,
    rangeDependent: true,
  },
  connect: {
    text: 'the connection could not be opened',
    remedy:
      'check host and port of base_url (4443 unless changed), firewalls, and the management service of that node',
    origin: 'endpoint',
    response: 'none',
    retry: true,
    retryable: true,
  },
  dns: {
    text: 'the host name could not be resolved',
    remedy: 'correct the host name in base_url, or the name servers of this machine',
    origin: 'endpoint',
    response: 'none',
    retryable: true,
  },
  tls: {
    text: 'the TLS handshake failed',
    remedy: 'correct tls_config: ca_file, server_name, cert_file and key_file',
    origin: 'endpoint',
    response: 'none',
  },
  reset: {
    text: 'the connection broke before the response was complete',
    remedy:
      'check that the port of base_url is that of the management API, check firewalls and proxies, then retry',
    origin: 'endpoint',
    response: 'lost',
    retry: true,
    retryable: true,
  },
  redirect: {
    text: 'the system responded with a redirect, which is never followed',
    remedy: 'set base_url to the address of the system itself, not of something that redirects to it',
    origin: 'endpoint',
    response: 'received',
    mayBePortal: true,
  },
  auth: {
    text: 'the system did not accept the token or the login',
    remedy: 'correct auth: the system does not accept these credentials',
    origin: 'local',
    // Without a status: the login was refused before, and its cooldown is not over.
    response: 'none',
    // Some systems redirect to a login page instead.
    callerStatus: 401,
    allQueries: true,
    mayBePortal: true,
  },
  forbidden: {
    text: 'the system forbids this request',
    remedy:
      'check that the account has the role SYSTEM_MONITOR, or another one if this release needs it for the request, and that the system accepts the host name in base_url (list of accepted server names)',
    origin: 'request',
    response: 'received',
    notAvailable: true,
    unsupported: true,
    allQueries: true,
    pausesQueries: true,
    query: {
      state: 'forbidden',
      choice: 'set performance.source: feed',
    },
  },
  not_found: {
    text: 'the system has no such path',
    remedy: 'correct the id of the pool, or the path in base_url',
    origin: 'request',
    response: 'received',
    notAvailable: true,
    unsupported: true,
    mayBePortal: true,
    allQueries: true,
    pausesQueries: true,
    query: {
      state: 'not there',
      remedy:
        'none for a Community Edition or a release before 3.5: set performance.source: feed to end the requests; otherwise check for a proxy that blocks the path',
    },
  },
  throttled: {
    text: 'the system asks for fewer requests',
    remedy: 'lower limits.requests_per_second and limits.concurrency',
    origin: 'system',
    response: 'received',
    retryable: true,
    allQueries: true,
  },
  unavailable: {
    text: 'the system, or the proxy in front of it, is not available at the moment',
    remedy: 'wait until the management service of the system is available; otherwise contact support',
    origin: 'endpoint',
    response: 'received',
    retry: true,
    retryable: true,
    pausesQueries: true,
  },
  server_error: {
    text: 'the system failed to respond (HTTP 5xx)',
    remedy:
      'check the management service of the system; if the error persists, contact support with this response',
    origin: 'system',
    response: 'received',
    retry: true,
  },
  client_error: {
    text: 'the system refused the request (HTTP 4xx)',
    remedy: 'report this response with the version of the system',
    origin: 'request',
    response: 'received',
    unsupported: true,
    mayBePortal: true,
    query: {
      state: 'queries are refused',
      remedy: 'report these queries with the version of the system',
    },
  },
  html: {
    text: 'the response is an HTML page instead of data, perhaps from a proxy or a login form',
    remedy: 'connect to the port of the management API, without a proxy or a login form in between',
    origin: 'endpoint',
    response: 'received',
    unsupported: true,
    mayBePortal: true,
  },
  encoding: {
    text: 'the response has an unknown or broken encoding',
    remedy:
      'check for a proxy that changes responses; without one, report this with the version of the system',
    origin: 'request',
    response: 'received',
  },
  too_large: {
    text: 'the response is larger than the limit',
    remedy: 'if the system is that large, increase limits.max_response_bytes and the memory limit',
    origin: 'request',
    response: 'received',
    rangeDependent: true,
  },
  syntax: {
    text: 'the response is not valid JSON or XML',
    remedy:
      'check for a proxy that truncates responses; without one, report this with the version of the system',
    origin: 'request',
    response: 'received',
    mayBePortal: true,
  },
  schema: {
    text: 'the response does not have the documented shape',
    remedy: 'report this with the version of the system',
    origin: 'request',
    response: 'received',
    unsupported: true,
    mayBePortal: true,
  },
  local: {
    text: 'the exporter could not send the request',
    remedy: 'correct this error of the local machine; the system is not the cause',
    origin: 'local',
    response: 'none',
    callerStatus: 500,
    allQueries: true,
  },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof ROWS
export const REASONS: Readonly<Record<Reason, ReasonRow>> = ROWS

/** Values of the label `result`: `ok`, or the reason of the failure. */
export type Result = 'ok' | Reason
export const RESULTS: readonly Result[] = ['ok', ...(Object.keys(ROWS) as Reason[])]
