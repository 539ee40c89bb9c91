import type { ConnectionOptions } from 'node:tls'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { compress } from 'snappyjs'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { ApiError } from '../../api/errors/errors.ts'
import { exchangeFailure } from '../../api/http/failures.ts'
import { parseRetryAfter } from '../../api/http/refusals.ts'
import { readErrorText } from '../../api/http/transport.ts'
import { pause } from '../../api/http/waiting.ts'
import { visibleText } from '../../text.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { errorCode } from '../../values/errors.ts'
import { backoffMs } from '../../values/timers.ts'
import type { Destination } from '../output/destination.ts'
import type { HistorySeries } from '../series.ts'

/** A part of a series: the points from index `from` up to, but not including, `to`. */
interface SeriesSlice {
  readonly series: HistorySeries
  readonly from: number
  readonly to: number
}

/** The body of a remote write 1.0 request: `prometheus.WriteRequest` as protocol buffers, in Snappy. */
export function writeRequest(slices: readonly SeriesSlice[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const slice of slices) {
    writer.tag(1, WireType.LengthDelimited).fork()
    writeTimeSeries(writer, slice)
    writer.join()
  }
  return compress(writer.finish())
}

/** `prometheus.TimeSeries`: labels sorted by name, then samples in ascending order of time. */
function writeTimeSeries(writer: BinaryWriter, { series, from, to }: SeriesSlice): void {
  const labels = Object.entries({ __name__: series.family, ...series.labels })
  for (const [name, value] of labels.sort(([a], [b]) => (a < b ? -1 : 1))) {
    // An empty label value is the same as no label, and receivers may refuse it.
    if (value === '') continue
    writer.tag(1, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.LengthDelimited).string(name)
    writer.tag(2, WireType.LengthDelimited).string(value.toWellFormed())
    writer.join()
  }
  for (let index = from; index < to; index += 1) {
    writer.tag(2, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Bit64).double(series.values[index] ?? 0)
    writer.tag(2, WireType.Varint).int64(Math.round((series.times[index] ?? 0) * MS_PER_SECOND))
    writer.join()
  }
}

/** Within the limits of all known receivers; larger requests are hardly faster. */
const MAX_SAMPLES = 5000
const MAX_SERIES = 1000

/**
 * Sends samples with remote write, one request at a time, so that a slow receiver slows down the reading. Samples that
 * the receiver has already are no error: it ignores them.
 */
export function createRemoteDestination(receiver: Receiver): Destination {
  return {
    async write(series, signal) {
      for (const batch of batchesOf(series)) await receiver.send(writeRequest(batch), signal)
    },
    // Each window is recorded, because it is sent when write() returns.
    isFull: true,
    save: async () => [],
    finish: async () => undefined,
    discard: async () => receiver.close(),
  }
}

/** Requests of limited size; the points of a series may be spread over several of them, in order. */
export function* batchesOf(all: Iterable<HistorySeries>): Generator<readonly SeriesSlice[]> {
  let batch: SeriesSlice[] = []
  let samples = 0
  for (const series of all) {
    for (let from = 0; from < series.times.length; ) {
      const to = Math.min(series.times.length, from + MAX_SAMPLES - samples)
      batch.push({ series, from, to })
      samples += to - from
      from = to
      if (samples < MAX_SAMPLES && batch.length < MAX_SERIES) continue
      yield batch
      batch = []
      samples = 0
    }
  }
  if (batch.length > 0) yield batch
}

export interface ReceiverOptions {
  readonly url: URL
  /** Credentials, and headers such as that of a tenant. */
  readonly headers: Readonly<Record<string, string>>
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
