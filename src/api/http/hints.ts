import { errors } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { errorCode } from '../../values/errors.ts'
import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'

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
