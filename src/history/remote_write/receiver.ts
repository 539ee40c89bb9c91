import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { ApiError } from '../../api/errors/errors.ts'
import { pause } from '../../api/http/deadline.ts'
import { exchangeFailure } from '../../api/http/failures.ts'
import { parseRetryAfter } from '../../api/http/refusals.ts'
import { visibleText } from '../../text.ts'

export interface ReceiverOptions {
  readonly url: URL
  /** Credentials, and headers such as that of a tenant. */
  readonly headers: Readonly<Record<string, string>>
  /** Options of TLS, for https. */
  readonly tls: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly servername?: string
    readonly rejectUnauthorized?: boolean
  }
  /** Milliseconds before the first repetition; doubles with each one. */
  readonly firstPauseMs?: number
}

/** A receiver of remote write. */
export interface Receiver {
  /**
   * Sends the body of one request. Repeats it after 429, 5xx and broken connections, but not after a refused certificate,
   * with a growing pause, or that of `Retry-After`.
   * @throws {Error} with the words of the receiver
   */
  send(body: Uint8Array, signal: AbortSignal): Promise<void>
  close(): void
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | undefined
}

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
const MAX_ANSWER_BYTES = 16_384
const MAX_ANSWER_CHARACTERS = 500
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

export function createReceiver(options: ReceiverOptions): Receiver {
  const { url, tls, firstPauseMs = FIRST_PAUSE_MS } = options
  const isHttps = url.protocol === 'https:'
  const agent = isHttps ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true })
  const start = isHttps ? httpsRequest : httpRequest

  function post(body: Uint8Array, signal: AbortSignal): Promise<Answer> {
    const headers = { ...HEADERS, 'Content-Length': body.length, ...options.headers }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const sent = start(url, { method: 'POST', agent, headers, signal, timeout: TIMEOUT_MS }, (response) =>
      readAnswer(response).then(resolve, reject),
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)))
    sent.on('error', reject)
    sent.end(body)
    return promise
  }

  async function attempt(body: Uint8Array, signal: AbortSignal): Promise<Outcome> {
    try {
      return outcomeOf(await post(body, signal))
    } catch (failure) {
      signal.throwIfAborted()
      const problem = failure instanceof Error ? failure.message : String(failure)
      return isOfTls(failure) ? { problem } : { problem, retryMs: 0 }
    }
  }

  return {
    async send(body, signal) {
      for (let repetition = 0; ; repetition += 1) {
        const { problem, retryMs } = await attempt(body, signal)
        if (problem === undefined) return
        if (retryMs === undefined || repetition === MAX_REPETITIONS) {
          throw new Error(`remote write to ${url.origin}${url.pathname}: ${problem}`)
        }
        const growingMs = Math.min(firstPauseMs * 2 ** repetition, MAX_PAUSE_MS)
        await pause(Math.max(growingMs, retryMs), signal)
      }
    },
    close: () => agent.destroy(),
  }
}

/** The problem, if there is one, and the least pause before another attempt, if that makes sense. */
interface Outcome {
  readonly problem?: string
  readonly retryMs?: number
}

/** A certificate that is not accepted, by either side: another attempt has the same result. */
function isOfTls(failure: unknown): boolean {
  const known = exchangeFailure(failure)
  return known instanceof ApiError && known.reason === 'tls'
}

function outcomeOf({ status, text, retryAfter }: Answer): Outcome {
  if (status >= 200 && status < 300) return {}
  const words = visibleText(text.trim().slice(0, MAX_ANSWER_CHARACTERS))
  const problem = words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`
  const isTemporary = status === TOO_MANY_REQUESTS || status >= SERVER_ERROR
  return isTemporary ? { problem, retryMs: parseRetryAfter(retryAfter) ?? 0 } : { problem }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes <= MAX_ANSWER_BYTES) chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString(),
    retryAfter: response.headers['retry-after'],
  }
}
