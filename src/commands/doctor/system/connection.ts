import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { CONNECT_TIMEOUT_MS } from '../../../api/http/connector.ts'
import { exchangeFailure, speaksTls, withHints } from '../../../api/http/failures.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { counted } from '../../../text.ts'
import { errorCode } from '../../../values/errors.ts'
import { type Finding, type FindingRow, failed, failuresAsWarnings, filled, firstOf } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'
import { openPlain, openTls, type TlsPeer, tlsRefusal } from './sockets.ts'

/** Opens a connection to each base URL and checks its certificate. No request is sent. */
export const connectionCheck = systemCheck({
  title: 'connection',
  needs: ['resolved'],
  gives: ['connected'],
  run: async (context, { resolved }) => {
    const { system, signal, certificateFile } = context
    const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, system.poll.timeoutMs)
    const connections = await Promise.all(
      resolved.map((baseUrl) =>
        connect(baseUrl, context, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
      ),
    )
    signal.throwIfAborted()
    const findings = connections.map(({ finding }) => finding)
    const connected = resolved.filter((_, index) => findings[index]?.status !== 'fail')
    const peers = connections.flatMap(({ peer }) => peer ?? [])
    const saved = certificateFile === undefined ? [] : [saveRoots(certificateFile, peers)]
    return { findings: [...failuresAsWarnings(findings), ...saved], facts: { connected: filled(connected) } }
  },
})

/** @returns a finding, and with TLS details of the certificate */
async function connect(
  baseUrl: string,
  context: SystemContext,
  signal: AbortSignal,
): Promise<{ readonly finding: Finding; readonly peer?: TlsPeer }> {
  const { protocol, host: subject } = new URL(baseUrl)
  const { tls, name } = context.system
  const saving = `sds-exporter doctor --config.file=${context.configFile} --system=${name} --save-certificate=${name}-ca.pem`
  try {
    if (protocol === 'https:') {
      const peer = await openTls(baseUrl, tls, signal)
      const isRefused = peer.refusal !== undefined && !tls.insecureSkipVerify
      const cause = isRefused ? await tlsRefusal(baseUrl, tls, signal) : undefined
      const finding =
        cause === undefined
          ? certificateFinding(subject, peer)
          : refused(subject, peer, { tls, saving, cause })
      return { finding, peer }
    }
    await openPlain(baseUrl, signal)
    const isTls = await acceptsTls(baseUrl, tls, signal)
    if (!isTls) return { finding: { status: 'ok', subject, text: 'connected, without TLS' } }
    const remedy = `write ${baseUrl.replace(/^http:/, 'https:')} in base_url`
    return { finding: failed(speaksTls('tls'), { subject, remedy }) }
  } catch (failure) {
    return { finding: failed(failure, { subject }) }
  }
}

/** Writes the root certificates of all base URLs to a new file. */
function saveRoots(file: string, peers: readonly TlsPeer[]): Finding {
  const roots = [...new Set(peers.flatMap(({ root }) => root ?? []))]
  if (roots.length === 0) {
    const remedy = 'get the certificate of its issuer from those who issued it'
    return { status: 'fail', text: 'the system sends no root certificate that could be saved', remedy }
  }
  try {
    writeFileSync(file, roots.join(''), { flag: 'wx', mode: 0o644 })
  } catch (cause) {
    const remedy = 'choose another file'
    return { status: 'fail', text: `${file} cannot be written: ${errorCode(cause)}`, remedy }
  }
  const fingerprints = roots.map((root) => new X509Certificate(root).fingerprint256).join(', ')
  return {
    status: 'info',
    text: `wrote ${file}, with the SHA-256 fingerprint ${fingerprints}`,
    remedy: COMPARE,
  }
}

const COMPARE =
  'compare it with that of the certificate on the system before you set tls_config.ca_file to this file'

/** A server without TLS may wait for the rest of what it takes for an HTTP request. */
const HANDSHAKE_MS = 2000

/** Whether a port to which base_url connects without TLS expects TLS. */
function acceptsTls(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<boolean> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)])
  return openTls(baseUrl, tls, bounded).then(
    () => true,
    () => false,
  )
}

const DAY_MS = 86_400_000
/** Time for a renewal, including a maintenance window. */
const MIN_DAYS_LEFT = 14

function certificateFinding(subject: string, peer: TlsPeer): Finding {
  const { refusal, notAfterMs } = peer
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

interface RefusedCertificate {
  readonly tls: TlsConfig
  /** The command that saves the root certificate. */
  readonly saving: string
  readonly cause: unknown
}

function refused(subject: string, peer: TlsPeer, { tls, saving, cause }: RefusedCertificate): Finding {
  const failure = failed(withHints(exchangeFailure(cause), { baseUrl: 'https:', tls }), { subject })
  const [, remedyOf] = REMEDIES.find(([codes]) => codes.test(errorCode(cause))) ?? []
  const remedy = remedyOf?.(peer, tls, saving) ?? failure.remedy
  return { ...failure, text: `${failure.text}; ${describe(peer)}`, remedy }
}

type CertificateRemedy = (peer: TlsPeer, tls: TlsConfig, saving: string) => string

const REMEDIES: readonly (readonly [codes: RegExp, CertificateRemedy])[] = [
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
  const left = days < 0 ? `expired on ${until}` : `${counted(days, 'day')} left (until ${until})`
  return `${protocol}, certificate for ${subject}, issued by ${issuer === subject ? 'itself' : issuer}, ${left}`
}
