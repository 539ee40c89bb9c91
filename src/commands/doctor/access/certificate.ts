import { exchangeFailure } from '../../../api/http/failures.ts'
import { withHints } from '../../../api/http/hints.ts'
import type { TlsConfig } from '../../../config/config.ts'
import type { Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import type { TlsPeer } from './sockets.ts'

const DAY_MS = 86_400_000
/** Time for a renewal, including a maintenance window. */
const MIN_DAYS_LEFT = 14

/** Whether the exporter accepts the certificate, and for how long. */
export function certificateFinding(subject: string, peer: TlsPeer, tls: TlsConfig): Finding {
  const description = describe(peer)
  if (peer.refusal !== undefined && !tls.insecureSkipVerify) return refused(subject, peer, tls)
  if (peer.refusal !== undefined) {
    return {
      status: 'warn',
      subject,
      text: `${description}, invalid (${peer.refusal}) but not verified`,
      remedy: ADD_CA,
    }
  }
  const daysLeft = (peer.notAfterMs - Date.now()) / DAY_MS
  if (daysLeft >= MIN_DAYS_LEFT) return { status: 'ok', subject, text: description }
  return {
    status: 'warn',
    subject,
    text: `${description}: it expires soon`,
    remedy:
      'renew the certificate on the system; if its CA changes, add the new CA to tls_config.ca_file first',
  }
}

const ADD_CA = 'add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify'

function refused(subject: string, peer: TlsPeer, tls: TlsConfig): Finding {
  const { refusal = '' } = peer
  const cause = exchangeFailure(Object.assign(new Error(refusal), { code: refusal }))
  const failure = failed(withHints(cause, { baseUrl: 'https:', tls }), { subject })
  const remedy = REMEDIES.find(({ codes }) => codes.test(refusal))?.remedy(peer, tls) ?? failure.remedy ?? ''
  return { ...failure, text: `${failure.text}; ${describe(peer)}`, remedy }
}

interface CertificateRemedy {
  readonly codes: RegExp
  readonly remedy: (peer: TlsPeer, tls: TlsConfig) => string
}

/** Remedies that use details of the certificate. */
const REMEDIES: readonly CertificateRemedy[] = [
  { codes: /^CERT_HAS_EXPIRED$/, remedy: () => 'renew the certificate on the system' },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    remedy: () => 'correct the clocks of the system and of this machine (NTP)',
  },
  {
    codes: /ALTNAME/,
    remedy: ({ names, subject }) =>
      `use one of these names in base_url or in tls_config.server_name: ${names === '' ? subject : names}`,
  },
  { codes: /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNABLE_TO/, remedy: issuerRemedy },
]

function issuerRemedy({ issuer }: TlsPeer, { caFile }: TlsConfig): string {
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
