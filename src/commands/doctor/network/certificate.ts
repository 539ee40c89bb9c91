import type { TlsConfig } from '../../../config/config.ts'
import type { Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import type { TlsPeer } from './sockets.ts'

const DAY_MS = 86_400_000
/** A renewal takes its time: an order, an authority, a maintenance window. */
const SOON_DAYS = 14

/** What a certificate means for the exporter. */
export function certificateFinding(subject: string, peer: TlsPeer, tls: TlsConfig): Finding {
  const seen = describe(peer)
  if (peer.refusal !== undefined && !tls.insecureSkipVerify) return refused(subject, peer, seen)
  if (peer.refusal !== undefined) {
    return {
      status: 'warn',
      subject,
      text: `${seen}, not good (${peer.refusal}) and not verified`,
      remedy: TRUST,
    }
  }
  const daysLeft = (peer.notAfterMs - Date.now()) / DAY_MS
  if (daysLeft >= SOON_DAYS) return { status: 'ok', subject, text: seen }
  return {
    status: 'warn',
    subject,
    text: `${seen}: it ends soon`,
    remedy:
      'renew the certificate on the system; if its authority changes, put the new one into tls_config.ca_file beforehand',
  }
}

const TRUST = 'put the authority of the system into tls_config.ca_file and remove insecure_skip_verify'

function refused(subject: string, peer: TlsPeer, seen: string): Finding {
  const { refusal = '' } = peer
  const failure = failed(Object.assign(new Error(refusal), { code: refusal }), { subject })
  const remedy = REMEDIES.find(({ codes }) => codes.test(refusal))?.remedy(peer) ?? failure.remedy ?? ''
  return { ...failure, text: `${failure.text}; ${seen}`, remedy }
}

/** More than can be said without having seen the certificate. */
const REMEDIES: readonly { readonly codes: RegExp; readonly remedy: (peer: TlsPeer) => string }[] = [
  { codes: /^CERT_HAS_EXPIRED$/, remedy: () => 'renew the certificate on the system' },
  { codes: /^CERT_NOT_YET_VALID$/, remedy: () => 'set the clocks of the system and of this machine (NTP)' },
  {
    codes: /ALTNAME/,
    remedy: ({ names, subject }) =>
      `use one of its names in base_url, or set tls_config.server_name to it: ${names === '' ? subject : names}`,
  },
  {
    codes: /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNABLE_TO/,
    remedy: ({ issuer }) =>
      `get the certificate of its issuer (${issuer === '' ? 'without a name' : issuer}) from whoever runs the system, and name that file in tls_config.ca_file`,
  },
]

function describe({ protocol, subject, issuer, notAfterMs }: TlsPeer): string {
  if (!Number.isFinite(notAfterMs)) return `${protocol}, a certificate that cannot be read`
  const days = Math.floor((notAfterMs - Date.now()) / DAY_MS)
  const until = new Date(notAfterMs).toISOString().slice(0, 10)
  const left = days < 0 ? `ended on ${until}` : `${days} days left (until ${until})`
  return `${protocol}, certificate for ${subject}, issued by ${issuer === subject ? 'itself' : issuer}, ${left}`
}
