import { CONNECT_TIMEOUT_MS } from '../../../api/http/connector.ts'
import { speaksTls } from '../../../api/http/hints.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { type Finding, failed, failuresAsWarnings, filled } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'
import { certificateFinding } from './certificate.ts'
import { openPlain, openTls } from './sockets.ts'

/** Opens a connection to each base URL and checks its certificate. No request is sent. */
export const connectionCheck = systemCheck({
  title: 'connection',
  needs: ['resolved'],
  gives: ['connected'],
  run: async ({ system: { tls }, config, signal }, { resolved }) => {
    const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, config.poll.timeoutMs)
    const findings = await Promise.all(
      resolved.map((baseUrl) =>
        connect(baseUrl, tls, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
      ),
    )
    signal.throwIfAborted()
    const connected = resolved.filter((_, index) => findings[index]?.status !== 'fail')
    return { findings: failuresAsWarnings(findings), facts: { connected: filled(connected) } }
  },
})

async function connect(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<Finding> {
  const { protocol, host: subject } = new URL(baseUrl)
  try {
    if (protocol === 'https:') return certificateFinding(subject, await openTls(baseUrl, tls, signal), tls)
    await openPlain(baseUrl, signal)
    const isTls = await acceptsTls(baseUrl, tls, signal)
    if (!isTls) return { status: 'ok', subject, text: 'connected, without TLS' }
    const remedy = `write ${baseUrl.replace(/^http:/, 'https:')} in base_url`
    return failed(speaksTls('tls'), { subject, remedy })
  } catch (failure) {
    return failed(failure, { subject })
  }
}

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
