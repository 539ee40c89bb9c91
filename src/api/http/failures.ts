import { errors } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { errorCode } from '../../values/errors.ts'
import { ApiError } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'
import { PORTAL, PORTAL_WORDS } from '../errors/refusal_table.ts'

/** The remedy is that of the reason, unless there is another one. */
type Failure = readonly [reason: Reason, detail: string, remedy?: string]

const NOT_TLS =
  'correct the port in base_url (4443 unless changed); if this is the port of the management API, write http://, which sends the password and the token unencrypted'
const TLS_FAILED = 'the TLS connection failed'
const OLD_TLS = 'the system does not speak TLS 1.2 or a later version'
const UPDATE_TLS = 'enable TLS 1.2 on the system, or put a proxy that speaks it in front of the system'
const FORBIDDEN = 'this machine forbids the connection: is a firewall in the way?'
const LATE = 'the connection could not be opened in time: is a firewall in between?'
const UNKNOWN_CA = 'the certificate authority is unknown: name its certificate in tls_config.ca_file'
const SELF_SIGNED = 'the certificate is self-signed: put it into a file and name that in tls_config.ca_file'
const TRUST =
  'run sds-exporter doctor: it prints the fingerprint of the certificate, and the command that saves it for tls_config.ca_file'
const OTHER_HOST =
  'the certificate is for another host name: set tls_config.server_name, or use that name in base_url'
const TOO_WEAK =
  'renew the certificates of the system with keys of at least 2048 bits (RSA) and SHA-256: OpenSSL accepts no weaker ones'
const NOT_HTTP = 'the response is not HTTP'
const NEEDS_CERTIFICATE = 'the system requires a client certificate: set tls_config.cert_file and key_file'

/** By the error codes of Node.js, OpenSSL and undici. */
const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: ['connect', 'connection refused: is the service running, and the port right?'],
  EHOSTUNREACH: ['connect', 'no route to the host'],
  EHOSTDOWN: ['connect', 'the host does not answer'],
  ENETUNREACH: ['connect', 'no route to the network'],
  ENETDOWN: ['connect', 'the network is down'],
  EACCES: ['connect', FORBIDDEN],
  EPERM: ['connect', FORBIDDEN],
  ETIMEDOUT: ['connect', LATE],
  UND_ERR_CONNECT_TIMEOUT: ['connect', LATE],
  EADDRNOTAVAIL: ['local', 'this machine has no address or port left for the connection'],
  ENOTFOUND: ['dns', 'the host name is unknown: check base_url'],
  EAI_AGAIN: ['dns', 'the name server did not answer'],
  ECONNRESET: ['reset', 'the connection was reset'],
  ECONNABORTED: ['reset', 'the connection was broken off'],
  EPIPE: ['reset', 'the connection was closed by the other side'],
  UND_ERR_SOCKET: ['reset', 'the connection was closed before the response was complete'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['reset', 'the response is shorter than announced'],
  UND_ERR_HEADERS_OVERFLOW: [
    'reset',
    'the headers of the response exceed 16 kB: does another server or a proxy respond?',
  ],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'no response within the time allowed (poll.timeout)'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the response stalled (poll.timeout)'],
  UND_ERR_INVALID_ARG: ['local', 'the request could not be made: is the token plain text?'],
  EMFILE: ['local', 'this process has too many open files: raise its limit (LimitNOFILE)'],
  ENFILE: ['local', 'this machine has too many open files'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', OTHER_HOST],
  CERT_HAS_EXPIRED: [
    'tls',
    'the certificate of the system has expired',
    'renew the certificate on the system',
  ],
  CERT_NOT_YET_VALID: [
    'tls',
    'the certificate is not valid yet: do the clocks agree?',
    'correct the clocks of the system and of this machine (NTP)',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', SELF_SIGNED, TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', UNKNOWN_CA, TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['tls', UNKNOWN_CA, TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', UNKNOWN_CA, TRUST],
  ERR_SSL_WRONG_VERSION_NUMBER: ['tls', 'the port does not speak TLS: check the port in base_url', NOT_TLS],
  // What else OpenSSL reports for a response in plain HTTP.
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['tls', TLS_FAILED, NOT_TLS],
  ERR_SSL_RECORD_TOO_SMALL: ['tls', TLS_FAILED, NOT_TLS],
  ERR_SSL_HTTP_REQUEST: ['tls', TLS_FAILED, NOT_TLS],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: ['tls', OLD_TLS, UPDATE_TLS],
  ERR_SSL_UNSUPPORTED_PROTOCOL: ['tls', OLD_TLS, UPDATE_TLS],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['tls', NEEDS_CERTIFICATE],
  // The parser of undici gives a code, or only its name.
  HTTPParserError: ['reset', NOT_HTTP],
  // It asserts that the status is at least 100, and not 101 without a request for an upgrade.
  ERR_ASSERTION: ['reset', NOT_HTTP],
}

/** Remedies by the words of OpenSSL, for certificates that it refuses for a reason without a row. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/too (weak|small|short)/i, TOO_WEAK],
  [
    /subtree|name constraint/i,
    'renew the certificate with a name that the name constraints of its issuer permit, or let another CA issue it',
  ],
]
const OTHER_CERTIFICATE =
  'correct the certificate of the system, or its CA in tls_config.ca_file: OpenSSL refuses it for this reason'

/** Families of codes; the message contains the code. */
const BY_PATTERN: readonly (readonly [RegExp, Failure])[] = [
  [/^(ERR_(TLS|SSL|OSSL)_|EPROTO$)/, ['tls', TLS_FAILED]],
  [/^HPE_/, ['reset', NOT_HTTP]],
  [/^EAI_/, ['dns', REASONS.dns.text]],
]
const UNKNOWN: Failure = ['local', 'the request failed']

/** The timeout of a signal as an ApiError; any other failure is returned unchanged. */
export function withTimeoutReason(failure: unknown): unknown {
  return failure instanceof Error && failure.name === 'TimeoutError' ? exchangeFailure(failure) : failure
}

/** A failure of an exchange as an ApiError. An abort that is not a timeout is returned unchanged. */
export function exchangeFailure(failure: unknown): unknown {
  if (failure instanceof ApiError) return failure
  if (!(failure instanceof Error)) return new ApiError('local', 'the request failed', { cause: failure })
  if (failure.name === 'TimeoutError')
    return new ApiError('timeout', `${REASONS.timeout.text} (poll.timeout)`, { cause: failure })
  if (failure.name === 'AbortError') return failure
  const name = errorCode(failure) || failure.name
  const [reason, detail, remedy] =
    BY_CODE[name] ??
    BY_PATTERN.find(([names]) => names.test(name))?.[1] ??
    (OF_CERTIFICATE.test(errorCode(failure)) ? refusedCertificate(failure) : UNKNOWN)
  return new ApiError(reason, `${detail} [${name}]`, { cause: failure, remedy })
}

/** The names that Node.js gives to the results of OpenSSL's verification. The codes of others begin otherwise. */
const OF_CERTIFICATE = /^(?!(E[A-Z0-9]+$|ERR_|UND_ERR_|HPE_))[A-Z0-9_]+$/

function refusedCertificate({ message }: Error): Failure {
  const remedy = BY_WORDS.find(([words]) => words.test(message))?.[1] ?? OTHER_CERTIFICATE
  return ['tls', `the certificate of the system is refused: ${message}`, remedy]
}

/** The failure of a request in plain HTTP to a TLS port. */
export function speaksTls(reason: Reason, cause?: unknown): ApiError {
  return new ApiError(reason, 'the port speaks TLS: base_url must begin with https://', {
    cause,
    remedy: 'write https:// in base_url',
  })
}

/** The port of the web portal, which is the default of https. */
const PORTAL_PORTS: readonly string[] = ['', '443']

/** Adds to the remedy that the port may be the wrong one. */
export function withPortHint(failure: ApiError, baseUrl: string): ApiError {
  const { protocol, port } = new URL(baseUrl)
  const isPortal = protocol === 'https:' && PORTAL_PORTS.includes(port)
  if (!isPortal || !REASONS[failure.reason].mayBePortal || failure.remedy === PORTAL.remedy) return failure
  return failure.with({ remedy: `${failure.remedy}; or ${PORTAL.remedy}` })
}

/** How much of the beginning and the end of a body is searched for the words of the portal: its data is between. */
const SEARCHED_CHARACTERS = 2000

/** Decodes a body. @throws {ApiError} with the remedy for the web portal if the body may be that of it */
export function withPortalHint<T>(decode: (text: string) => T, text: string, baseUrl: string): T {
  try {
    return decode(text)
  } catch (failure) {
    if (!(failure instanceof ApiError) || !REASONS[failure.reason].mayBePortal) throw failure
    const ends = `${text.slice(0, SEARCHED_CHARACTERS)}\n${text.slice(-SEARCHED_CHARACTERS)}`
    if (!PORTAL_WORDS.test(ends)) throw withPortHint(failure, baseUrl)
    throw new ApiError(PORTAL.reason, PORTAL.text, { remedy: PORTAL.remedy })
  }
}

const UNKNOWN_ISSUER = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET)_.*)$/
/** TLS alerts of servers that refuse a client without their certificate, up to TLS 1.2; there are other causes, too. */
const CERTIFICATE_ALERT = /ALERT_(HANDSHAKE_FAILURE|(BAD|NO|UNSUPPORTED)_CERTIFICATE|UNKNOWN_CA)/

/** Adds to a failed exchange what its address and settings show about the cause. Other failures are returned unchanged. */
export function withHints(failure: unknown, baseUrl: string, tls: TlsConfig): unknown {
  if (!(failure instanceof ApiError)) return failure
  const { reason, detail, cause, remedy } = failure
  const isTls = baseUrl.startsWith('https:')
  if (!isTls && isTlsAlert(cause)) return speaksTls(reason, cause)
  const code = errorCode(cause)
  if (isTls && tls.caFile !== undefined && UNKNOWN_ISSUER.test(code)) {
    const issuer = 'the certificates in tls_config.ca_file did not issue the certificate of the system'
    return new ApiError(reason, `${issuer} [${code}]`, { cause, remedy })
  }
  // With TLS 1.3 a client certificate is refused after the handshake, and many servers only close the connection.
  const isAsked = isTls && reason === 'tls' && CERTIFICATE_ALERT.test(detail)
  return isAsked || isHungUp(cause)
    ? new ApiError(reason, `${detail}: ${hintOf(isTls, tls)}`, { cause })
    : failure
}

function hintOf(isTls: boolean, { certFile }: TlsConfig): string {
  if (!isTls) return 'should base_url begin with https://?'
  return certFile === undefined
    ? 'does the system require a client certificate (tls_config.cert_file and key_file)?'
    : 'does the system accept the client certificate in tls_config.cert_file?'
}

/** The first byte of a TLS alert, with which a TLS server may respond to plain HTTP. */
const TLS_ALERT = 0x15

function isTlsAlert(cause: unknown): boolean {
  const received = cause instanceof errors.HTTPParserError && 'data' in cause ? String(cause.data) : ''
  return received.charCodeAt(0) === TLS_ALERT
}

/** Whether the connection ended before a single byte was received. */
function isHungUp(cause: unknown): boolean {
  return cause instanceof errors.SocketError && cause.socket?.bytesRead === 0
}
