import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { CONNECT_TIMEOUT_MS } from '../../../api/http/connector.ts'
import { speaksTls } from '../../../api/http/hints.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { errorCode } from '../../../values/errors.ts'
import { type Finding, failed, failuresAsWarnings, filled } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'
import { certificateFinding } from './certificate.ts'
import { openPlain, openTls, type TlsPeer } from './sockets.ts'

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

interface Connection {
  readonly finding: Finding
  /** Undefined without TLS. */
  readonly peer?: TlsPeer
}

async function connect(baseUrl: string, context: SystemContext, signal: AbortSignal): Promise<Connection> {
  const { protocol, host: subject } = new URL(baseUrl)
  const { tls } = context.system
  try {
    if (protocol === 'https:') {
      const peer = await openTls(baseUrl, tls, signal)
      return { finding: certificateFinding(subject, peer, tls, savingCommand(context)), peer }
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

function savingCommand({ configFile, system: { name } }: SystemContext): string {
  return `sds-exporter doctor --config.file=${configFile} --system=${name} --save-certificate=${name}-ca.pem`
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

/** A server without TLS may wait for the rest of the handshake, which is not HTTP. */
const HANDSHAKE_MS = 2000

/** Whether a port to which base_url connects without TLS expects TLS. */
function acceptsTls(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<boolean> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)])
  return openTls(baseUrl, tls, bounded).then(
    () => true,
    () => false,
  )
}
