import type { Context } from 'koa'
import { logfmt } from '../../log.ts'
import type { Exposition } from '../../metrics/exposition.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { Poller, PollerStatus } from '../../readings/poller.ts'
import type { LogLine, LogRecording, LogTap } from '../../readings/reading_log.ts'
import { durationText, visibleLines } from '../../text.ts'
import { HttpError } from '../../values/http_error.ts'
import { createKeyedLimit, goneSignal, limitReached, type ResponseSlots } from '../response_slots.ts'
import type { SendExposition } from './send_exposition.ts'
import { badRequest, readTarget, type Target } from './targets.ts'

/** The configured systems, how they are probed, and their last samples. */
export interface ProbeSources {
  readonly systems: () => readonly Target[]
  readonly probe: Poller['probe']
  readonly history: Poller['history']
  /** For `debug=true`, as the next one. */
  readonly polling: Poller['status']
  readonly record: LogTap['record']
}

interface ProbeOptions extends Omit<ProbeSources, 'history'> {
  readonly sendExposition: SendExposition
  /** As many probes may wait for one system. */
  readonly slots: ResponseSlots
}

const PARAMETERS = {
  system: 'a name in the configuration',
  pool: 'an id',
  debug: 'true to explain the probe',
} as const
/** The header of Prometheus with its `scrape_timeout`. */
const TIMEOUT_HEADER = 'X-Prometheus-Scrape-Timeout-Seconds'
/** Before the timeout of Prometheus, for the transfer of the response, as the blackbox exporter. */
const OFFSET_MS = 500
/** The longest wait, also without the header. A connection without traffic is closed after 120 s. */
const MAX_WAIT_MS = 110_000

const TAILS = {
  text: Buffer.alloc(0),
  openmetrics: Buffer.from(OPENMETRICS_END),
} as const satisfies Record<Format, unknown>

/**
 * Handles `GET /probe?system=NAME[&pool=ID][&debug=true]`: polls a configured system now, and sends what was read in time,
 * or explains the probe.
 */
export function createProbe(options: ProbeOptions): (context: Context) => Promise<void> {
  const { systems, probe, sendExposition, polling, record, slots } = options
  const waiting = createKeyedLimit(slots.maxRequests)
  return async (context) => {
    // A Service chooses an exporter for each connection. A kept connection would send all probes to one exporter.
    context.set('Connection', 'close')
    const { system, pool, waitMs, isExplained } = readRequest(context, systems())
    const release = waiting(system)
    if (release === undefined) throw limitReached(slots.maxRequests)
    const signal = AbortSignal.any([AbortSignal.timeout(waitMs), goneSignal(context.res)])
    const beganMs = performance.now()
    const recording = isExplained ? record(system) : undefined
    const exposition = await probe(system, pool, signal).finally(() => {
      release()
      recording?.end()
    })
    if (context.res.destroyed) return
    if (exposition === undefined) throw unknownTarget(system, pool)
    if (recording !== undefined) {
      const seconds = (performance.now() - beganMs) / 1000
      slots.take(context.res, { group: 'explanations', exposition })
      const text = await explainProbe({ seconds, recording, status: polling(system), exposition })
      context.body = `${text}\n`
      return
    }
    await sendExposition(context, { group: `probe ${system}`, exposition, tailOf: (format) => TAILS[format] })
  }
}

function unknownTarget(system: string, pool: string | undefined): HttpError {
  const why = 'the exporter stops, or has a new configuration'
  if (pool === undefined) return new HttpError(503, `System '${system}' is no longer polled: ${why}.`)
  return badRequest(`system '${system}' has no pool '${pool}'`)
}

/** @throws {HttpError} 400 */
function readRequest(context: Context, systems: ReturnType<ProbeSources['systems']>) {
  const target = readTarget(context.querystring, systems, PARAMETERS)
  if (target.pool === '') throw badRequest('the parameter pool is empty; leave it out to poll all pools')
  return { ...target, waitMs: readWait(context.get(TIMEOUT_HEADER)) }
}

const SECONDS = /^\d+(\.\d+)?$/

/** How long the response may wait, in milliseconds. @throws {HttpError} 400 */
function readWait(header: string): number {
  if (header === '') return MAX_WAIT_MS
  const timeoutMs = Number(header) * 1000
  if (!SECONDS.test(header) || timeoutMs <= 0)
    throw badRequest(`${TIMEOUT_HEADER} is not a number of seconds: '${header}'`)
  return Math.min(Math.max(timeoutMs - OFFSET_MS, timeoutMs / 2), MAX_WAIT_MS)
}

/** Bytes of the metrics; a probe without `debug` returns all of them. */
const MAX_METRICS_BYTES = 1024 * 1024
const MAX_FIELD_CHARACTERS = 1000

interface Explained {
  readonly seconds: number
  readonly recording: LogRecording
  /** Undefined for a system that is no longer polled. */
  readonly status: PollerStatus | undefined
  readonly exposition: Exposition
}

/** What happened during a probe, for people: the parts and their order are those of the blackbox exporter. */
async function explainProbe(explained: Explained): Promise<string> {
  const { seconds, recording, status, exposition } = explained
  const { lines, omitted } = recording
  const log = lines.map(lineText).join('')
  const rest = omitted === 0 ? '' : `(${omitted} more lines)\n`
  const text = [
    `Logs for the probe, which took ${seconds.toFixed(3)} s, and for other requests to the system meanwhile:\n${log}${rest}`,
    `Metrics that would have been returned:\n${await metricsText(exposition)}`,
    `Configuration of the system:\n${status === undefined ? 'removed\n' : configText(status)}`,
  ].join('\n')
  // Names of the system are for a terminal here, not for a scraper.
  return visibleLines(text)
}

function lineText({ time, level, message, fields }: LogLine): string {
  const short = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() : value,
  ])
  return logfmt({ ts: time.toISOString(), level, msg: message, ...Object.fromEntries(short) })
}

async function metricsText(exposition: Exposition): Promise<string> {
  const { pieces } = await exposition.body('identity text')
  const chosen: Buffer[] = []
  let bytes = 0
  for (const piece of pieces) {
    if (bytes >= MAX_METRICS_BYTES) break
    chosen.push(piece)
    bytes += piece.length
  }
  const text = Buffer.concat(chosen).toString()
  if (bytes <= MAX_METRICS_BYTES && chosen.length === pieces.length) return text
  return `${text.slice(0, text.lastIndexOf('\n', MAX_METRICS_BYTES) + 1)}(the rest is left out)\n`
}

/** Without secrets, user names and paths of files. */
function configText({ system }: PollerStatus): string {
  const rows = {
    name: system.name,
    base_url: system.baseUrls.join(', '),
    auth: AUTH[system.auth.kind],
    'poll.timeout': durationText(system.poll.timeoutMs / 1000),
    'performance.source': system.performance.source,
    'limits.requests_per_second': system.limits.requestsPerSecond,
  }
  return Object.entries(rows)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
}

const AUTH = {
  token: 'token',
  token_file: 'token_file',
  login: 'username with password',
  login_file: 'username with password_file',
} as const
