import type { Context } from 'koa'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { LogTap } from '../../readings/log/log_tap.ts'
import type { Poller } from '../../readings/poller.ts'
import type { SystemState } from '../../state/state.ts'
import { goneSignal } from '../gone_signal.ts'
import { createKeyedLimit } from '../keyed_limit.ts'
import { sendText } from '../page/send_text.ts'
import { explainProbe } from './probe_explanation.ts'
import type { ScrapeSlots } from './scrape_slots.ts'
import { refuse, type SendExposition, takeSlot } from './send_exposition.ts'
import { readTarget, refuseRequest } from './target.ts'

/** The configured systems, how they are probed, and their last samples. */
export interface ProbeSources {
  readonly systems: () => readonly Pick<SystemState, 'name' | 'labels'>[]
  readonly probe: Poller['probe']
  readonly history: Poller['history']
  /** For `debug=true`, as the next one. */
  readonly polling: Poller['status']
  readonly record: LogTap['record']
}

interface ProbeOptions extends Omit<ProbeSources, 'history'> {
  /** Probes that wait for one system; the response to further ones is 503. 0: unlimited. */
  readonly maxRequests: number
  readonly sendExposition: SendExposition
  readonly slots: ScrapeSlots
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
  const { systems, probe, maxRequests, sendExposition, polling, record, slots } = options
  const waiting = createKeyedLimit(maxRequests)
  return async (context) => {
    // A Service chooses an exporter for each connection. A kept connection would send all probes to one exporter.
    context.set('Connection', 'close')
    const request = readRequest(context, systems())
    if (typeof request === 'string') return refuseRequest(context, request)
    const { system, pool, waitMs } = request
    const leave = waiting(system)
    if (leave === undefined) return refuse(context.res, maxRequests)
    const signal = AbortSignal.any([AbortSignal.timeout(waitMs), goneSignal(context.res)])
    const beganMs = performance.now()
    const recording = request.isExplained ? record(system) : undefined
    const exposition = await probe(system, pool, signal).finally(() => {
      leave()
      recording?.end()
    })
    if (context.res.destroyed) return
    if (exposition === undefined) return refuseUnknown(context, system, pool)
    if (recording !== undefined) {
      const seconds = (performance.now() - beganMs) / 1000
      if (takeSlot(context.res, slots, { group: 'explanations', exposition }) === undefined) return
      return sendText(
        context,
        200,
        await explainProbe({ seconds, recording, status: polling(system), exposition }),
      )
    }
    await sendExposition(context, { group: `probe ${system}`, exposition, tailOf: (format) => TAILS[format] })
  }
}

function refuseUnknown(context: Context, system: string, pool: string | undefined): void {
  const why = 'the exporter stops, or has a new configuration'
  if (pool === undefined) sendText(context, 503, `System '${system}' is no longer polled: ${why}.`)
  else refuseRequest(context, `system '${system}' has no pool '${pool}'`)
}

/** What is requested, or why it is refused. */
function readRequest(context: Context, systems: ReturnType<ProbeSources['systems']>) {
  const target = readTarget(context.querystring, systems, PARAMETERS)
  if (typeof target === 'string') return target
  const waitMs = readWait(context.get(TIMEOUT_HEADER))
  if (typeof waitMs === 'string') return waitMs
  if (target.pool === '') return 'the parameter pool is empty; leave it out to poll all pools'
  return { ...target, waitMs }
}

const SECONDS = /^\d+(\.\d+)?$/

/** How long the response may wait, in milliseconds, or why the request is refused. */
function readWait(header: string): number | string {
  if (header === '') return MAX_WAIT_MS
  const timeoutMs = Number(header) * 1000
  if (!SECONDS.test(header) || timeoutMs <= 0)
    return `${TIMEOUT_HEADER} is not a number of seconds: '${header}'`
  return Math.min(Math.max(timeoutMs - OFFSET_MS, timeoutMs / 2), MAX_WAIT_MS)
}
