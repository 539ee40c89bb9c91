import { exchangeFailure } from '../../../api/http/failures.ts'
import { withHints } from '../../../api/http/hints.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { type Finding, type FindingRow, failed, firstOf } from '../check/check.ts'
import type { TlsPeer } from './sockets.ts'

const DAY_MS = 86_400_000
/** Time for a renewal, including a maintenance window. */
const MIN_DAYS_LEFT = 14

/**
 * Whether the exporter accepts the certificate, and for how long.
 * @param saving the command that saves the root certificate
 */
export function certificateFinding(subject: string, peer: TlsPeer, tls: TlsConfig, saving: string): Finding {
  const { refusal, notAfterMs } = peer
  if (refusal !== undefined && !tls.insecureSkipVerify) return refused(subject, peer, tls, saving)
  const description = describe(peer)
  const isLongValid = (notAfterMs - Date.now()) / DAY_MS >= MIN_DAYS_LEFT
  const rows: readonly FindingRow[] = [
    [refusal !== undefined, 'warn', `${description}, invalid (${refusal}) but not verified`, ADD_CA],
    [!isLongValid, 'warn', `${description}: it expires soon`, RENEW],
  ]
  return firstOf(subject, rows, 'ok', description)
}

const RENEW =
  'renew the certificate on the system; if its CA changes, add the new CA to tls_config.ca_file first'
const ADD_CA = 'add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify'

function refused(subject: string, peer: TlsPeer, tls: TlsConfig, saving: string): Finding {
  const { refusal = '' } = peer
  const cause = exchangeFailure(Object.assign(new Error(refusal), { code: refusal }))
  const failure = failed(withHints(cause, { baseUrl: 'https:', tls }), { subject })
  const [, remedyOf] = REMEDIES.find(([codes]) => codes.test(refusal)) ?? []
  const remedy = remedyOf?.(peer, tls, saving) ?? failure.remedy
  return { ...failure, text: `${failure.text}; ${describe(peer)}`, remedy }
}

type CertificateRemedy = (peer: TlsPeer, tls: TlsConfig, saving: string) => string

/** Remedies that use details of the certificate, by error code. */
const REMEDIES: readonly (readonly [codes: RegExp, CertificateRemedy])[] = [
  [/^CERT_HAS_EXPIRED$/, () => 'renew the certificate on the system'],
  [/^CERT_NOT_YET_VALID$/, () => 'correct the clocks of the system and of this machine (NTP)'],
  [/ALTNAME/, ({ names, subject }) => `${USE_NAME}: ${names === '' ? subject : names}`],
  [/SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNABLE_TO/, issuerRemedy],
]
const USE_NAME = 'use one of these names in base_url or in tls_config.server_name'

function issuerRemedy({ issuer, root, fingerprint }: TlsPeer, { caFile }: TlsConfig, saving: string): string {
  if (root !== undefined && caFile === undefined) {
    const compared = `compare the SHA-256 fingerprint ${fingerprint} with that of the certificate on the system`
    return `${compared}; if it is the same, run ${saving} and set tls_config.ca_file to that file`
  }
  const certificate = `the certificate of its issuer (${issuer === '' ? 'without a name' : issuer})`
  return caFile === undefined
    ? `get ${certificate} and set tls_config.ca_file to that file`
    : `add ${certificate} to tls_config.ca_file (${caFile}), which has only certificates of other issuers`
}

function describe({ protocol, subject, issuer, notAfterMs }: TlsPeer): string {
  if (!Number.isFinite(notAfterMs)) return `${protocol}, unreadable certificate`
  const days = Math.floor((notAfterMs - Date.now()) / DAY_MS)
  const until = new Date(notAfterMs).toISOString().slice(0, 10)
  const left = days < 0 ? `expired on ${until}` : `${days} days left (until ${until})`
  return `${protocol}, certificate for ${subject}, issued by ${issuer === subject ? 'itself' : issuer}, ${left}`
}
