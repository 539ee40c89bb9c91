import type { ConnectionOptions } from 'node:tls'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { ApiError } from '../../api/errors/errors.ts'
import { exchangeFailure } from '../../api/http/failures.ts'
import { parseRetryAfter } from '../../api/http/refusals.ts'
import { readErrorText } from '../../api/http/transport.ts'
import { pause } from '../../api/http/waiting.ts'
import { visibleText } from '../../text.ts'
import { errorCode } from '../../values/errors.ts'
import { backoffMs } from '../../values/timers.ts'

export interface ReceiverOptions {
  readonly url: URL
  /** Credentials, and headers such as that of a tenant. */
  readonly headers: Readonly<Record<string, string>>
  /** Options of TLS, for https. */
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>
  /** Milliseconds before the first repetition; doubles with each one. */
  readonly firstPauseMs?: number
}

export type Receiver = ReturnType<typeof createReceiver>

const HEADERS = {
  'Content-Type': 'application/x-protobuf',
  'Content-Encoding': 'snappy',
  'X-Prometheus-Remote-Write-Version': '0.1.0',
  'User-Agent': 'sds-exporter',
} as const
const TIMEOUT_MS = 60_000
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** About four minutes in total. */
const MAX_REPETITIONS = 12
const MAX_TEXT_CHARACTERS = 500
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

export function createReceiver(options: ReceiverOptions) {
  const { url, tls, firstPauseMs = FIRST_PAUSE_MS } = options
  const [origin, path] = [url.origin, `${url.pathname}${url.search}`]
  const headers = { ...HEADERS, ...options.headers }
  const agent = new Agent({
    connect: endingWithError(buildConnector({ ...tls, timeout: TIMEOUT_MS, allowH2: false })),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })

  async function attempt(body: Uint8Array, signal: AbortSignal): Promise<SendResult> {
    try {
      return await resultOf(await agent.request({ origin, path, method: 'POST', headers, body, signal }))
    } catch (failure) {
      signal.throwIfAborted()
      // The message is empty if several addresses were tried.
      const problem = failure instanceof Error ? failure.message || errorCode(failure) : String(failure)
      const known = exchangeFailure(failure)
      // A certificate that is not accepted, by either side: another attempt has the same result.
      return known instanceof ApiError && known.reason === 'tls' ? { problem } : { problem, retryMs: 0 }
    }
  }

  return {
    /**
     * Sends the body of one request. Repeats it after 429, 5xx and broken connections, but not after a refused certificate,
     * with a growing pause, or that of `Retry-After`.
     * @throws {Error} with the words of the receiver
     */
    async send(body: Uint8Array, signal: AbortSignal): Promise<void> {
      for (let repetition = 0; ; repetition += 1) {
        const { problem, retryMs } = await attempt(body, signal)
        if (problem === undefined) return
        if (retryMs === undefined || repetition === MAX_REPETITIONS) {
          throw new Error(`remote write to ${url.origin}${url.pathname}: ${problem}`)
        }
        const growingMs = backoffMs(repetition + 1, firstPauseMs, MAX_PAUSE_MS)
        await pause(Math.max(growingMs, retryMs), signal)
      }
    },
    close: (): void => void agent.destroy(),
  }
}

/** The problem, if there is one, and the least pause before another attempt, if that makes sense. */
interface SendResult {
  readonly problem?: string
  readonly retryMs?: number
}

/** undici reports the end of a connection instead of the TLS alert before it, such as that of a missing certificate. */
function endingWithError(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      socket?.once('error', (failure) => socket.destroy(failure))
      callback(...result)
    })
}

async function resultOf({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<SendResult> {
  const retryAfter = headers['retry-after']?.toString()
  const { text } = await readErrorText(body, { encoding: headers['content-encoding']?.toString() })
  if (status >= 200 && status < 300) return {}
  const words = visibleText(text.trim().slice(0, MAX_TEXT_CHARACTERS))
  const problem = words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`
  const isTemporary = status === TOO_MANY_REQUESTS || status >= SERVER_ERROR
  return isTemporary ? { problem, retryMs: parseRetryAfter(retryAfter) ?? 0 } : { problem }
}
