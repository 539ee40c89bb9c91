import { CONNECT_TIMEOUT_MS } from '../../../api/http/connector.ts'
import { speaksTls } from '../../../api/http/hints.ts'
import type { TlsConfig } from '../../../config/config.ts'
import { type Finding, failuresAsWarnings } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import { systemCheck } from '../check/system_facts.ts'
import { certificateFinding } from './certificate.ts'
import { openPlain, openTls } from './sockets.ts'

/** Opens a connection to each base URL and checks its certificate. No request is sent. */
export const connectionCheck = systemCheck({
  title: 'connection',
  needs: ['resolved'],
  run: async ({ system: { tls }, config, signal }, { resolved }) => {
    const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, config.poll.timeoutMs)
    const findings = await Promise.all(
      resolved.map((baseUrl) =>
        connect(baseUrl, tls, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
      ),
    )
    signal.throwIfAborted()
    const connected = resolved.filter((_, index) => findings[index]?.status !== 'fail')
    return { findings: failuresAsWarnings(findings), ...(connected.length > 0 && { facts: { connected } }) }
  },
})

async function connect(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<Finding> {
  const { protocol, host } = new URL(baseUrl)
  const subject = host
  try {
    if (protocol === 'https:') return certificateFinding(subject, await openTls(baseUrl, tls, signal), tls)
    await openPlain(baseUrl, signal)
    if (!(await acceptsTls(baseUrl, tls, signal)))
      return { status: 'ok', subject, text: 'connected, without TLS' }
    return failed(speaksTls('tls'), {
      subject,
      remedy: `write ${withTls(baseUrl)} in base_url`,
    })
  } catch (failure) {
    return failed(failure, { subject })
  }
}

/** A server without TLS may wait for the rest of the handshake, which is not HTTP. */
const HANDSHAKE_MS = 2000

/** Whether a port to which base_url connects without TLS expects TLS. */
async function acceptsTls(baseUrl: string, tls: TlsConfig, signal: AbortSignal): Promise<boolean> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)])
  try {
    await openTls(baseUrl, tls, bounded)
    return true
  } catch {
    return false
  }
}

function withTls(baseUrl: string): string {
  return baseUrl.replace(/^http:/, 'https:')
}
