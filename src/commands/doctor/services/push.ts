import { addAbortListener } from 'node:events'
import type { OtlpConfig } from '../../../config/config.ts'
import { readVersion } from '../../../exporter/version.ts'
import { failedLocally } from '../../../otlp/outcomes.ts'
import { createSender } from '../../../otlp/sender.ts'
import type { Finding } from '../check/check.ts'

const MAX_TIMEOUT_MS = 30_000

/** Sends a request without metrics to the receiver. */
export async function pushFindings(config: OtlpConfig, signal: AbortSignal): Promise<Finding[]> {
  const { result, problem = '', remedy } = await sendNothing(config, signal).catch(failedLocally)
  const text = result === 'ok' ? 'the receiver accepts requests' : `${result}: ${problem}`
  return [{ status: result === 'ok' ? 'ok' : 'fail', subject: config.url, text, remedy }]
}

async function sendNothing(config: OtlpConfig, signal: AbortSignal) {
  const timeoutMs = Math.min(config.timeoutMs, MAX_TIMEOUT_MS)
  const sender = await createSender({ ...config, timeoutMs }, readVersion())
  using _listener = addAbortListener(signal, sender.close)
  try {
    return await sender.send([])
  } finally {
    sender.close()
  }
}
