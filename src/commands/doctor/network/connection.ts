import { CONNECT_TIMEOUT_MS } from '../../../api/http/connector.ts'
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
    return { status: 'ok', subject, text: 'connected, without TLS' }
  } catch (failure) {
    return failed(failure, { subject })
  }
}
