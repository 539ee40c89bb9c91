import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { errorCode } from '../../values/errors.ts'
import { ApiError } from '../errors/errors.ts'
import { checkJsonBounds } from '../parse/json.ts'
import { createConnector, createLookup } from './connector.ts'
import { createRedaction, type Redact } from './credentials.ts'
import { exchangeFailure, withHints, withTimeoutReason } from './failures.ts'
import { createSemaphore, untilAborted } from './waiting.ts'

/** One request to one endpoint of a storage system. */
export interface WireRequest {
  readonly baseUrl: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the base URL, already encoded, and the query; sent exactly so. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Whether only the headers of a 200 are needed: its body is no part of the response, and faults in it are ignored. */
  readonly headersOnly?: boolean
  /** Called when the connection is open, right before the request is written. Not called: nothing was sent. */
  readonly onSend?: () => void
  /** What is sent with POST. */
  readonly body?: string | undefined
}

/** A response with any status. Redirects are not followed. */
export interface HttpResponse {
  readonly baseUrl: string
  readonly status: number
  /** When its headers arrived, by our clock, in milliseconds since the epoch: the body may take long. */
  readonly respondedAtMs: number
  readonly header: (name: string) => string | undefined
  /** The beginning of the body of a refusal; empty for a 200. What a message quotes of it goes through `redact`. */
  readonly text: string
  /** Length of what was read of the body, as it was received; undefined if it broke off. */
  readonly bytes: number | undefined
  /**
   * Decodes the body, one at a time in the process; of a refusal {@link HttpResponse.text}. To be called once.
   * @throws {ApiError} `too_large` or `encoding`; the abort's own error when the request is aborted
   */
  readonly decode: <T>(use: (text: string) => T) => Promise<T>
  readonly redact: Redact
}

interface TransportOptions {
  readonly tls: TlsConfig
  readonly timeoutMs: number
  readonly concurrency: number
  readonly maxResponseBytes: number
  readonly onCertificate?: (notAfterSeconds: number) => void
  /** Whether all requests are the exporter's own, so that secrets of earlier requests are redacted, too. */
  readonly isOwn?: boolean
  /** Headers whose secrets are redacted, too, although no request has them. */
  readonly otherSecrets?: Readonly<Record<string, string>>
  readonly httpLimits?: HttpLimits
}

/** One instance for all systems of the process. */
export type HttpLimits = ReturnType<typeof createHttpLimits>

export function createHttpLimits() {
  return {
    /** Bounds the memory that bodies take while they are decoded. */
    decoding: createSemaphore(1),
    /** Bounds the threads that lookups of host names take. */
    lookup: createLookup(),
  }
}

/** Connections stay open between two polls of the default schedule (one minute). */
const KEEP_ALIVE_MS = 75_000
/** Then a connection is opened anew, so that a changed address or certificate is noticed. */
const CONNECTION_LIFE_MS = 600_000
const MAX_HEADER_BYTES = 16_384
/** Informational responses (1xx) before the final one; servers send one or two. */
const MAX_INFORMATIONAL = 20
const ENDLESS = `more than ${MAX_INFORMATIONAL} informational responses (1xx) came instead of a response`
/**
 * Chunks of a body, each of which takes the parser about 2 µs, whatever its length. Servers send chunks of kilobytes, and
 * the 16 MiB of the default limit are 11,600 TCP segments.
 */
const MAX_CHUNKS = 100_000
const FRAGMENTED = `the response comes in more than ${MAX_CHUNKS} chunks, the maximum`

/** Sends requests over kept-alive connections of one system, with bounds on time and size. */
export type Transport = ReturnType<typeof createTransport>

export function createTransport(options: TransportOptions) {
  const { tls, maxResponseBytes, isOwn = false, otherSecrets = {}, httpLimits = createHttpLimits() } = options
  const redactionFor = createRedaction(isOwn)
  const agent = new Agent({
    connect: createConnector({ ...options, lookup: httpLimits.lookup }),
    connections: options.concurrency,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    clientTtl: CONNECTION_LIFE_MS,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
  })

  async function send(request: WireRequest): Promise<HttpResponse> {
    const { baseUrl, method, path, headers, signal, headersOnly = false, onSend, body: sent = null } = request
    const { origin, pathname } = new URL(baseUrl)
    const prefix = pathname === '/' ? '' : pathname
    const redact = redactionFor({ ...otherSecrets, ...headers })
    try {
      const options = { origin, path: `${prefix}${path}`, method, headers, signal, body: sent } as const
      const exchange = limitInformational(agent, () => signal.aborted || onSend?.()).request(options)
      // undici notices an abort only when the connection is open.
      const response = await untilAborted(exchange, signal)
      const respondedAtMs = Date.now()
      const { statusCode: status, body } = response
      const header = (name: string) => [response.headers[name.toLowerCase()]].flat()[0]
      const about = { encoding: header('content-encoding'), length: header('content-length') }
      const all = { baseUrl, status, respondedAtMs, header, redact }
      if (status !== 200 || headersOnly) {
        const read = await readErrorText(body, about)
        const text = status === 200 ? '' : read.text
        return { ...all, text, bytes: read.bytes, decode: async (use) => use(text) }
      }
      const raw = await readBody(body, about, maxResponseBytes)
      // A body that waits stays compressed.
      const decode: HttpResponse['decode'] = (use) =>
        httpLimits.decoding.run(async () => use(await decodeBody(raw, about, maxResponseBytes, signal)), {
          signal,
        })
      return { ...all, text: '', bytes: raw.length, decode }
    } catch (failure) {
      // undici may report the abort of a timeout as an error of its own; the signal has the reason.
      if (signal.aborted) throw withTimeoutReason(signal.reason)
      throw withHints(exchangeFailure(failure), baseUrl, tls)
    }
  }

  return {
    /** @throws {ApiError} with the reason if there is no complete response; the abort's own error when aborted */
    send,
    /** Closes all connections at once. */
    close: (): Promise<void> => agent.destroy(),
  }
}

/**
 * Calls `onSend` before the request is written, and ends an exchange with too many informational responses or chunks. The
 * diagnostics channel of undici is for all requests of the process.
 */
function limitInformational(agent: Agent, onSend: () => void): Dispatcher {
  let informational = 0
  let chunks = 0
  return agent.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart(controller, context) {
          onSend()
          handler.onRequestStart?.(controller, context)
        },
        onResponseStart(controller, status, ...rest) {
          if (status < 200) informational += 1
          if (informational > MAX_INFORMATIONAL) controller.abort(new ApiError('reset', ENDLESS))
          else handler.onResponseStart?.(controller, status, ...rest)
        },
        onResponseData(controller, chunk) {
          chunks += 1
          if (chunks > MAX_CHUNKS) controller.abort(new ApiError('too_large', FRAGMENTED))
          else handler.onResponseData?.(controller, chunk)
        },
        onResponseEnd: (...event) => handler.onResponseEnd?.(...event),
        onResponseError: (...event) => handler.onResponseError?.(...event),
      }),
  )
}

/** The Date header has whole seconds: on average it is half a second behind the clock of the system. */
const DATE_CUT_MS = 500

/** Smaller differences count as 0: the whole seconds of the header and the time of the response make them vary. */
const LEAST_SKEW_SECONDS = 2

/** The system's clock minus ours, in whole seconds, 0 below two; undefined if the response has no Date header. */
export function clockSkewSeconds({ header, respondedAtMs }: HttpResponse): number | undefined {
  const theirsMs = Date.parse(header('date') ?? '') + DATE_CUT_MS
  if (!Number.isFinite(theirsMs)) return undefined
  const skew = Math.round((theirsMs - respondedAtMs) / 1000)
  return Math.abs(skew) < LEAST_SKEW_SECONDS ? 0 : skew
}

/** The time of a response by the clock of the system, in seconds since the epoch; by ours without a Date header. */
export function respondedAt(response: HttpResponse): number {
  return response.respondedAtMs / 1000 + (clockSkewSeconds(response) ?? 0)
}

const decompress = promisify(gunzip)

export interface BodyHeaders {
  readonly encoding: string | undefined
  /** Content-Length, not parsed. */
  readonly length?: string | undefined
}

/** The JSON and XML of real systems is compressed to a tenth. Bodies that wait to be decoded stay compressed. */
const LEAST_COMPRESSION = 4

/**
 * Reads the body of a response without decoding it: at most `maxBytes`, or a quarter of that if it is compressed.
 * @throws {ApiError} `too_large`
 */
export async function readBody(stream: Readable, headers: BodyHeaders, maxBytes: number): Promise<Buffer> {
  const limit = encodingOf(headers.encoding) === 'gzip' ? Math.ceil(maxBytes / LEAST_COMPRESSION) : maxBytes
  // A body with an announced length is refused before any of it is read.
  if (Number(headers.length) > limit) {
    stream.destroy()
    throw tooLarge(limit)
  }
  const { bytes, whole } = await readUpTo(stream, limit)
  if (!whole) throw tooLarge(limit)
  return bytes
}

/**
 * The text of a body, of at most `maxBytes` after decompression, which can be parsed in bounded time and memory. The body
 * cannot be decoded again.
 * @throws {ApiError} `too_large`, or `encoding` for another encoding than gzip and for text that is not UTF-8
 */
export async function decodeBody(
  raw: Buffer,
  { encoding }: BodyHeaders,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const bytes = await decoded(raw, encoding, maxBytes)
  signal.throwIfAborted()
  checkJsonBounds(bytes, maxBytes)
  await nextTurn()
  signal.throwIfAborted()
  try {
    // Fatal, so that a broken name is an error and not a wrong name; a byte order mark is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ApiError('encoding', 'the response is not UTF-8 text', { cause })
  } finally {
    release(bytes)
  }
}

/**
 * Gives the memory of a body back. V8 would keep it until a full collection, and begin one more often because of it. Small
 * buffers share their memory with others.
 */
function release({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/** Error bodies of the system are a few sentences. */
const MAX_ERROR_BYTES = 16_384

/**
 * Reads what can be read of the body of a refusal. The status is already known, so nothing that is wrong with
 * the body may hide it: a proxy's page in another encoding, a body that breaks off or never ends.
 * @returns the text, and the bytes that were read of the body as it was received; undefined if the body broke off
 */
export async function readErrorText(stream: Readable, { encoding }: BodyHeaders) {
  let length: number | undefined
  try {
    const { bytes } = await readUpTo(stream, MAX_ERROR_BYTES)
    length = bytes.length
    return { text: new TextDecoder().decode(await decoded(bytes, encoding, MAX_ERROR_BYTES)), bytes: length }
  } catch {
    return { text: '', bytes: length }
  }
}

/** Reads a body until it ends or has more than `maxBytes`, and the beginning of the latter. */
export async function readUpTo(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    // Leaving the loop destroys a stream, and with it the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), whole: false }
    chunks.push(chunk)
  }
  return { bytes: Buffer.concat(chunks, length), whole: true }
}

function encodingOf(header = ''): 'identity' | 'gzip' | undefined {
  const name = header.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === '' || name === 'identity' ? 'identity' : undefined
}

async function decoded(raw: Buffer, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const encoding = encodingOf(header)
  if (encoding === undefined)
    throw new ApiError('encoding', 'the response has an encoding that was not requested')
  // Some servers announce an encoding even where there is nothing to encode.
  if (encoding === 'identity' || raw.length === 0) return raw
  try {
    return await decompress(raw, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new ApiError('encoding', 'the compressed response is broken', { cause })
  }
}

function tooLarge(maxBytes: number): ApiError {
  const limit = `${maxBytes} bytes, set by limits.max_response_bytes`
  return new ApiError('too_large', `the response is larger than allowed (${limit})`)
}
