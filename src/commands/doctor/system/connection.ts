import { X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { CONNECT_TIMEOUT_MS, tlsOptions } from '../../../api/http/connector.ts'
import { exchangeFailure, withHints } from '../../../api/http/failures.ts'
import { untilAborted } from '../../../api/http/waiting.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { certificateBlocks } from '../../../config/tls.ts'
import { counted } from '../../../text.ts'
import { errorCode } from '../../../values/errors.ts'
import { failureText } from '../../cli/exit.ts'
import { shellWord } from '../../cli/output/width.ts'
import { writeOutputFile } from '../../cli/output/written_files.ts'
import {
  type Finding,
  type FindingRow,
  failed,
  failuresAsWarnings,
  filled,
  firstOf,
  type Outcome,
  type SystemContext,
} from '../check/check.ts'

/** Resolves the host names of the base URLs, as connections do, including /etc/hosts. */
export async function checkNames({
  system: { baseUrls },
  signal,
}: SystemContext): Promise<Outcome<readonly string[]>> {
  const hosts = [...new Set(baseUrls.map(hostOf))]
  const findings = await Promise.all(hosts.map((host) => resolve(host, signal)))
  const unknown = hosts.filter((_, index) => findings[index]?.status === 'fail')
  const resolved = baseUrls.filter((baseUrl) => !unknown.includes(hostOf(baseUrl)))
  return { findings: failuresAsWarnings(findings), fact: filled(resolved) }
}

/** The host of a URL, without the brackets of an IPv6 address. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
}

async function resolve(subject: string, signal: AbortSignal): Promise<Finding> {
  if (isIP(subject) !== 0) return { status: 'ok', subject, text: 'IP address, no lookup needed' }
  try {
    const addresses = await untilAborted(lookup(subject, { all: true }), signal)
    return { status: 'ok', subject, text: addresses.map(({ address }) => address).join(', ') }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
}

/** Opens a connection to each base URL and checks its certificate. No request is sent. */
export async function checkConnections(
  context: SystemContext,
  baseUrls: readonly string[],
): Promise<Outcome<readonly string[]>> {
  const { system, signal, certificateFile } = context
  const timeout = AbortSignal.timeout(Math.min(CONNECT_TIMEOUT_MS, system.poll.timeoutMs))
  const connections = await Promise.all(
    baseUrls.map((baseUrl) => openConnection(baseUrl, context, AbortSignal.any([signal, timeout]))),
  )
  signal.throwIfAborted()
  const findings = connections.map(({ finding }) => finding)
  const connected = baseUrls.filter((_, index) => findings[index]?.status !== 'fail')
  const peers = connections.flatMap(({ peer }) => peer ?? [])
  const saved = certificateFile === undefined ? [] : [saveRoots(certificateFile, peers)]
  return { findings: [...failuresAsWarnings(findings), ...saved], fact: filled(connected) }
}

interface Connection {
  readonly finding: Finding
  /** Undefined without TLS. */
  readonly peer?: TlsPeer
}

async function openConnection(
  baseUrl: string,
  context: SystemContext,
  signal: AbortSignal,
): Promise<Connection> {
  const { protocol, host: subject } = new URL(baseUrl)
  const { tls } = context.system
  try {
    if (protocol === 'https:') {
      // Invalid certificates are accepted here, to describe them.
      const peer = await openTls(baseUrl, tls, signal, false)
      const isRefused = peer.refusal !== undefined && !tls.insecureSkipVerify
      const cause = isRefused
        ? await openTls(baseUrl, tls, signal, true).catch((error: unknown) => error)
        : undefined
      const isFailure = cause instanceof Error
      return { peer, finding: isFailure ? refused(subject, peer, context, cause) : described(subject, peer) }
    }
    await opened(connect(addressOf(baseUrl)), 'connect', signal, () => undefined)
    return { finding: { status: 'ok', subject, text: 'connected, without TLS' } }
  } catch (failure) {
    return { finding: failed(failure, { subject }) }
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

function addressOf(baseUrl: string) {
  const { port, protocol } = new URL(baseUrl)
  return { host: hostOf(baseUrl), port: Number(port || DEFAULT_PORTS[protocol]) }
}

/** Connects with the TLS settings of the exporter. */
function openTls(
  baseUrl: string,
  tls: TlsConfig,
  signal: AbortSignal,
  rejectUnauthorized: boolean,
): Promise<TlsPeer> {
  const address = addressOf(baseUrl)
  const servername = tls.serverName ?? (isIP(address.host) === 0 ? address.host : undefined)
  const options = { ...address, ...tlsOptions(tls), servername, rejectUnauthorized }
  const socket = connectTls({ ...options, ALPNProtocols: ['http/1.1'] })
  return opened(socket, 'secureConnect', signal, () => peerOf(socket))
}

/** Waits for `event`, calls `inspect` and closes the socket. @throws the error of the socket, or the reason of the signal */
async function opened<T>(socket: Socket, event: string, signal: AbortSignal, inspect: () => T): Promise<T> {
  socket.on('error', () => undefined)
  try {
    await once(socket, event, { signal })
    return inspect()
  } catch (failure) {
    signal.throwIfAborted()
    throw failure
  } finally {
    socket.destroy()
  }
}

/** Details of the server certificate. The names are untrusted text. */
type TlsPeer = ReturnType<typeof peerOf>

function peerOf(socket: TLSSocket) {
  const certificate = socket.getPeerCertificate(true)
  const { subject, issuer, subjectaltname, valid_to, fingerprint256 } = certificate
  const name = (of: Readonly<Record<string, unknown>> | undefined) => String(of?.['CN'] ?? of?.['O'] ?? '')
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    /** Common name or organization; empty if there is none. */
    subject: name({ ...subject }),
    issuer: name({ ...issuer }),
    /** SHA-256: `AB:CD:…`. */
    fingerprint: fingerprint256 ?? '',
    /** PEM; undefined if no certificate of the chain issued itself. */
    root: rootOf(certificate),
    /** `DNS:a, IP Address:1.2.3.4` */
    names: subjectaltname ?? '',
    notAfterMs: Date.parse(valid_to ?? ''),
    /** Undefined if it is valid. The type is Error, but the value is an error code. */
    refusal: socket.authorized ? undefined : String(socket.authorizationError),
  }
}

/** Node.js ends a chain with a certificate that is its own issuer, or without an issuer if that was not sent. */
function rootOf(certificate: DetailedPeerCertificate): string | undefined {
  const seen = new Set<DetailedPeerCertificate>()
  let last = certificate
  while (last.issuerCertificate !== undefined && !seen.has(last)) {
    seen.add(last)
    if (last.issuerCertificate.fingerprint256 === last.fingerprint256)
      return new X509Certificate(last.raw).toString()
    last = last.issuerCertificate
  }
  return undefined
}

/** Writes the root certificates of all base URLs to a file, perhaps in place of those that the system had before. */
function saveRoots(file: string, peers: readonly TlsPeer[]): Finding {
  const roots = [...new Set(peers.flatMap(({ root }) => root ?? []))]
  const fail = (text: string, remedy: string): Finding => ({ status: 'fail', text, remedy })
  if (roots.length === 0)
    return fail(
      'the system sends no root certificate that could be saved',
      'get the certificate of its issuer from those who issued it',
    )
  if (!isReplaceable(file, peers.length)) return fail(`${file} exists, and ${OTHERS}`, 'choose another file')
  const before = fingerprintsIn(file)
  try {
    writeOutputFile(file, roots.join(''))
  } catch (cause) {
    return fail(`${file} cannot be written: ${failureText(cause)}`, 'choose another file')
  }
  const instead = before.length === 0 ? '' : ` instead of ${before.join(', ')}`
  return {
    status: 'info',
    text: `wrote ${file}, with the SHA-256 fingerprint ${fingerprintsIn(file).join(', ')}${instead}`,
    remedy: `compare it with ${ON_SYSTEM} before tls_config.ca_file has this file`,
  }
}

const OTHERS = 'may have other content than the certificates of this system'
const ON_SYSTEM = 'that of the certificate on the system'

/** Whether a file does not exist, or has no more than one certificate for each address. */
function isReplaceable(file: string, addresses: number): boolean {
  const known = fingerprintsIn(file).length
  return !existsSync(file) || (known > 0 && known <= addresses)
}

/** SHA-256 fingerprints of the certificates in a file; empty if there are none. */
function fingerprintsIn(file: string | undefined): readonly string[] {
  try {
    const text = file === undefined ? '' : readFileSync(file, 'utf8')
    return certificateBlocks(text).map((pem) => new X509Certificate(pem).fingerprint256)
  } catch {
    return []
  }
}

const DAY_MS = 86_400_000
/** Time for a renewal, including a maintenance window. */
const MIN_DAYS_LEFT = 14

function described(subject: string, peer: TlsPeer): Finding {
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

function describe({ protocol, subject, issuer, notAfterMs }: TlsPeer): string {
  if (!Number.isFinite(notAfterMs)) return `${protocol}, unreadable certificate`
  const days = Math.floor((notAfterMs - Date.now()) / DAY_MS)
  const until = new Date(notAfterMs).toISOString().slice(0, 10)
  const left = days < 0 ? `expired on ${until}` : `${counted(days, 'day')} left (until ${until})`
  return `${protocol}, certificate for ${subject}, issued by ${issuer === subject ? 'itself' : issuer}, ${left}`
}

function refused(subject: string, peer: TlsPeer, context: SystemContext, cause: Error): Finding {
  const { tls } = context.system
  const failure = failed(withHints(exchangeFailure(cause), 'https:', tls), { subject })
  const code = errorCode(cause)
  const isIssuer = /SELF_SIGNED|ISSUER|LEAF_SIGNATURE|UNABLE_TO/.test(code)
  const names = `use one of these names in base_url or in tls_config.server_name: ${peer.names || peer.subject}`
  const remedy = code.includes('ALTNAME') ? names : isIssuer ? issuerRemedy(peer, context) : failure.remedy
  return { ...failure, text: `${failure.text}; ${describe(peer)}`, remedy }
}

/** Remedy for a certificate whose issuer is not trusted, of which the system may send no root certificate to save. */
function issuerRemedy(peer: TlsPeer, context: SystemContext): string {
  const { system, missingCaFile } = context
  const { caFile } = system.tls
  if (peer.root !== undefined) return saveRemedy(peer, context)
  const issuer = `the certificate of its issuer (${peer.issuer || 'without a name'})`
  if (caFile !== undefined)
    return `add ${issuer} to tls_config.ca_file (${caFile}), which has only certificates of other issuers`
  return `get ${issuer} and ${missingCaFile === undefined ? SET_FILE : `write it to ${missingCaFile}`}`
}

const SET_FILE = 'set tls_config.ca_file to that file'

/** The command that saves the root certificate, after its fingerprint was compared. */
function saveRemedy({ fingerprint }: TlsPeer, { system, configFile, missingCaFile }: SystemContext): string {
  const { name, baseUrls, tls } = system
  const own = missingCaFile ?? tls.caFile
  const isReplaced = own !== undefined && isReplaceable(own, baseUrls.length)
  const file = isReplaced ? own : `${name}-ca.pem`
  const flags = [`--config.file=${configFile}`, `--system=${name}`, `--save-certificate=${file}`]
  const command = `sds-exporter doctor ${flags.map(shellWord).join(' ')}`
  const known = fingerprintsIn(tls.caFile).join(', ')
  const saved = known === '' ? '' : `${tls.caFile} has the SHA-256 fingerprint ${known}; `
  const then = own === undefined ? ` and ${SET_FILE}` : ` and add that file to ${own}`
  return `${saved}compare the SHA-256 fingerprint ${fingerprint} with ${ON_SYSTEM}; if it is the same, run ${command}${isReplaced ? '' : then}`
}
