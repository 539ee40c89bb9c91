import type { Context } from 'koa'
import { END, type Format } from '../../metrics/lines.ts'
import type { Poller } from '../../readings/poller.ts'
import { oncePerKey } from '../../values/cache.ts'
import { HttpError } from '../../values/http_error.ts'
import { createKeyedLimit, goneSignal, limitReached, type ResponseSlots } from '../response_slots.ts'
import type { SendExposition } from './send_exposition.ts'
import { badRequest, readTarget, type Target } from './targets.ts'

/** The configured systems, how they are probed, and their last samples. */
export interface ProbeSources {
  readonly systems: () => readonly Target[]
  readonly probe: Poller['probe']
  readonly history: Poller['history']
}

interface ProbeOptions extends Omit<ProbeSources, 'history'> {
  readonly sendExposition: SendExposition
  /** As many probes may wait for one system. */
  readonly slots: ResponseSlots
}

const PARAMETERS = { system: 'a name in the configuration', pool: 'an id' } as const
/** The header of Prometheus with its `scrape_timeout`. */
const TIMEOUT_HEADER = 'X-Prometheus-Scrape-Timeout-Seconds'
/** Before the timeout of Prometheus, for the transfer of the response, as the blackbox exporter. */
const OFFSET_MS = 500
/** The longest wait, also without the header. A connection without traffic is closed after 120 s. */
const MAX_WAIT_MS = 110_000

const tailOf = oncePerKey((format: Format) => Buffer.from(END[format]))

/** Handles `GET /probe?system=NAME[&pool=ID]`: polls a configured system now, and sends what was read in time. */
export function createProbe(options: ProbeOptions): (context: Context) => Promise<void> {
  const { systems, probe, sendExposition, slots } = options
  const waiting = createKeyedLimit(slots.maxRequests)
  return async (context) => {
    // A Service chooses an exporter for each connection. A kept connection would send all probes to one exporter.
    context.set('Connection', 'close')
    const { system, pool, waitMs } = readRequest(context, systems())
    const release = waiting(system)
    if (release === undefined) throw limitReached(slots.maxRequests)
    const signal = AbortSignal.any([AbortSignal.timeout(waitMs), goneSignal(context.res)])
    const exposition = await probe(system, pool, signal).finally(release)
    if (context.res.destroyed) return
    if (exposition === undefined) throw unknownTarget(system, pool)
    await sendExposition(context, { group: `probe ${system}`, exposition, tailOf })
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
