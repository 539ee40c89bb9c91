import { errors } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { errorCode } from '../../values/errors.ts'
import { ApiError } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'
import { PORTAL, PORTAL_WORDS } from '../errors/refusal_table.ts'

/** The address of a request, and how it is secured. */
export interface HintTarget {
  readonly baseUrl: string
  readonly tls: Pick<TlsConfig, 'caFile' | 'certFile'>
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

/** The failure to decode a body that may be that of the web portal. Other failures are returned unchanged. */
export function withPortalHint(failure: unknown, text: string, baseUrl: string): unknown {
  if (!(failure instanceof ApiError) || !REASONS[failure.reason].mayBePortal) return failure
  const ends = `${text.slice(0, SEARCHED_CHARACTERS)}\n${text.slice(-SEARCHED_CHARACTERS)}`
  if (PORTAL_WORDS.test(ends)) return new ApiError(PORTAL.reason, PORTAL.text, { remedy: PORTAL.remedy })
  return withPortHint(failure, baseUrl)
}

/** Adds to a failed exchange what its address and settings show about the cause. Other failures are returned unchanged. */
export function withHints(failure: unknown, { baseUrl, tls }: HintTarget): unknown {
  if (!(failure instanceof ApiError)) return failure
  if (!baseUrl.startsWith('https:')) return withSchemeHint(failure)
  if (tls.caFile !== undefined && UNKNOWN_ISSUER.test(errorCode(failure.cause))) {
    const detail = `the certificates in tls_config.ca_file did not issue the certificate of the system`
    return new ApiError(failure.reason, `${detail} [${errorCode(failure.cause)}]`, { cause: failure.cause })
  }
  return withCertificateHint(failure, tls)
}

const UNKNOWN_ISSUER = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET)_.*)$/

/** The first byte of a TLS alert, with which a TLS server may respond to plain HTTP. */
const TLS_ALERT = 0x15

/** Without TLS, a TLS server responds with an alert or closes the connection. */
function withSchemeHint(failure: ApiError): ApiError {
  const { cause, reason, detail } = failure
  const received = cause instanceof errors.HTTPParserError && 'data' in cause ? String(cause.data) : ''
  if (received.charCodeAt(0) === TLS_ALERT) return speaksTls(reason, cause)
  return isHungUp(cause)
    ? new ApiError(reason, `${detail}: should base_url begin with https://?`, { cause })
    : failure
}

/** TLS alerts of servers that refuse a client without their certificate, up to TLS 1.2; there are other causes, too. */
const CERTIFICATE_ALERT = /ALERT_(HANDSHAKE_FAILURE|(BAD|NO|UNSUPPORTED)_CERTIFICATE|UNKNOWN_CA)/

/** With TLS 1.3 a client certificate is refused after the handshake, and many servers only close the connection. */
function withCertificateHint(failure: ApiError, { certFile }: HintTarget['tls']): ApiError {
  const { reason, detail, cause } = failure
  if (!isHungUp(cause) && !(reason === 'tls' && CERTIFICATE_ALERT.test(detail))) return failure
  const hint =
    certFile === undefined
      ? 'does the system require a client certificate (tls_config.cert_file and key_file)?'
      : 'does the system accept the client certificate in tls_config.cert_file?'
  return new ApiError(reason, `${detail}: ${hint}`, { cause })
}

/** Whether the connection ended before a single byte was received. */
function isHungUp(cause: unknown): boolean {
  return cause instanceof errors.SocketError && cause.socket?.bytesRead === 0
}
