import { ApiError } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'

interface Failure {
  readonly reason: Reason
  readonly detail: string
  /** If it is not that of the reason. */
  readonly remedy?: string
}

const NOT_TLS =
  'correct the port in base_url (4443 unless changed); if this is the port of the management API, write http://, which sends the password and the token unencrypted'

/** Error codes of Node.js and undici. */
const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: {
    reason: 'connect',
    detail: 'connection refused: is the service running, and the port right?',
  },
  EHOSTUNREACH: { reason: 'connect', detail: 'no route to the host' },
  EHOSTDOWN: { reason: 'connect', detail: 'the host does not answer' },
  ENETUNREACH: { reason: 'connect', detail: 'no route to the network' },
  ENETDOWN: { reason: 'connect', detail: 'the network is down' },
  EACCES: { reason: 'connect', detail: 'this machine forbids the connection: is a firewall in the way?' },
  EPERM: { reason: 'connect', detail: 'this machine forbids the connection: is a firewall in the way?' },
  ETIMEDOUT: {
    reason: 'connect',
    detail: 'the connection could not be opened in time: is a firewall in between?',
  },
  UND_ERR_CONNECT_TIMEOUT: {
    reason: 'connect',
    detail: 'the connection could not be opened in time: is a firewall in between?',
  },
  EADDRNOTAVAIL: { reason: 'local', detail: 'this machine has no address or port left for the connection' },
  ENOTFOUND: { reason: 'dns', detail: 'the host name is unknown: check base_url' },
  EAI_AGAIN: { reason: 'dns', detail: 'the name server did not answer' },
  ECONNRESET: { reason: 'reset', detail: 'the connection was reset' },
  ECONNABORTED: { reason: 'reset', detail: 'the connection was broken off' },
  EPIPE: { reason: 'reset', detail: 'the connection was closed by the other side' },
  UND_ERR_SOCKET: { reason: 'reset', detail: 'the connection was closed before the answer was complete' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { reason: 'reset', detail: 'the answer is shorter than announced' },
  UND_ERR_HEADERS_TIMEOUT: { reason: 'timeout', detail: 'no answer within the time allowed (poll.timeout)' },
  UND_ERR_BODY_TIMEOUT: { reason: 'timeout', detail: 'the answer stalled (poll.timeout)' },
  UND_ERR_HEADERS_OVERFLOW: {
    reason: 'reset',
    detail: 'the headers of the answer exceed 16 kB: does another server or a proxy answer?',
  },
  UND_ERR_INVALID_ARG: { reason: 'local', detail: 'the request could not be made: is the token plain text?' },
  EMFILE: { reason: 'local', detail: 'this process has too many open files: raise its limit (LimitNOFILE)' },
  ENFILE: { reason: 'local', detail: 'this machine has too many open files' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'tls',
    detail:
      'the certificate is for another host name: set tls_config.server_name, or use that name in base_url',
  },
  CERT_HAS_EXPIRED: { reason: 'tls', detail: 'the certificate of the system has expired' },
  CERT_NOT_YET_VALID: { reason: 'tls', detail: 'the certificate is not valid yet: do the clocks agree?' },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: 'tls',
    detail: 'the certificate is self-signed: put it into a file and name that in tls_config.ca_file',
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    reason: 'tls',
    detail: 'the certificate authority is unknown: name its certificate in tls_config.ca_file',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    reason: 'tls',
    detail: 'the certificate authority is unknown: name its certificate in tls_config.ca_file',
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: 'tls',
    detail: 'the certificate authority is unknown: name its certificate in tls_config.ca_file',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    reason: 'tls',
    detail: 'the port does not speak TLS: check the port in base_url',
    remedy: NOT_TLS,
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    reason: 'tls',
    detail: 'the system requires a client certificate: set tls_config.cert_file and key_file',
  },
}

/** Families of codes; the message contains the code. */
const BY_PATTERN: readonly (readonly [RegExp, Failure])[] = [
  // What OpenSSL reports for a response in plain HTTP.
  [
    /^ERR_SSL_(PACKET_LENGTH_TOO_LONG|RECORD_TOO_SMALL|HTTP_REQUEST)$/,
    { reason: 'tls', detail: 'the TLS connection failed', remedy: NOT_TLS },
  ],
  [
    /^(ERR_(TLS|SSL|OSSL)_|(CERT|CRL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME|INVALID)_|EPROTO$|.*_TOO_(SMALL|WEAK)$)/,
    { reason: 'tls', detail: 'the TLS connection failed' },
  ],
  // The parser of undici gives a code, or only its name.
  [/^(HPE_|HTTPParserError$)/, { reason: 'reset', detail: 'the answer is not HTTP' }],
  [/^EAI_/, { reason: 'dns', detail: REASONS.dns.text }],
]
const UNKNOWN: Failure = { reason: 'local', detail: 'the request failed' }

/** The timeout of a signal as an ApiError; any other failure is returned unchanged. */
export function withTimeoutReason(failure: unknown): unknown {
  return failure instanceof Error && failure.name === 'TimeoutError' ? exchangeFailure(failure) : failure
}

/** A failure of an exchange as an ApiError. An abort that is not a timeout is returned unchanged. */
export function exchangeFailure(failure: unknown): unknown {
  if (failure instanceof ApiError) return failure
  if (!(failure instanceof Error)) return new ApiError('local', 'the request failed', { cause: failure })
  if (failure.name === 'TimeoutError') {
    return new ApiError('timeout', `${REASONS.timeout.text} (poll.timeout)`, {
      cause: failure,
    })
  }
  if (failure.name === 'AbortError') return failure
  const code = failureCode(failure)
  const name = code || failure.name
  const known = BY_CODE[name] ?? BY_PATTERN.find(([names]) => names.test(name))?.[1] ?? UNKNOWN
  return new ApiError(known.reason, `${known.detail} [${name}]`, { cause: failure, remedy: known.remedy })
}

/** The error code of Node.js, OpenSSL or undici; empty if there is none. */
export function failureCode(failure: unknown): string {
  if (!(failure instanceof Error)) return ''
  const own = 'code' in failure && typeof failure.code === 'string' ? failure.code : ''
  const inner = failureCode(failure.cause)
  // undici wraps socket errors; the inner code is more specific.
  return own === 'UND_ERR_SOCKET' && inner !== '' ? inner : own || inner
}
