import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Context, Middleware, Next } from 'koa'
import { formatOf } from '../protocol/format.ts'
import type { Operation } from '../protocol/operations.ts'
import type { FaultRequest, FeedDocument, JsonObject, WireAnswer } from './fault.ts'
import { bentTime, type Faults, type MetFault } from './in_force.ts'

export interface MiddlewareOptions {
  readonly faults: Faults
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Aborted when the emulator stops. */
  readonly stopping: () => AbortSignal
  readonly operationOf: (context: Context) => Operation
}

const MILLISECONDS = 1_000

/** Lets every request meet its faults, and tells the samples their time in `context.state.now`. */
export function faultMiddleware({ faults, clock, stopping, operationOf }: MiddlewareOptions): Middleware {
  return async (context, next) => {
    const operation = operationOf(context)
    const met = faults.meet(operation, poolIn(context.path))
    const now = Math.floor(clock() / MILLISECONDS)
    context.state['now'] = bentTime(met, now)
    context.set('Date', new Date(bentTime(met, now, true) * MILLISECONDS).toUTCString())
    const format = formatOf(context.path, (...types) => context.accepts(types))
    await answerWith(met, context, next, { operation, url: context.originalUrl, format }, stopping())
  }
}

async function answerWith(
  met: readonly MetFault[],
  context: Context,
  next: Next,
  request: FaultRequest,
  stopping: AbortSignal,
): Promise<void> {
  const spoiling = met.filter(({ effect }) => effect.stage !== 'clock' && effect.stage !== 'tokens')
  if (spoiling.length === 0) return next()
  const spoiled = await spoil(spoiling, context, next, request)
  for (const { effect, argument } of spoiling) {
    if (effect.stage !== 'wire') continue
    context.respond = false
    const signal = signalOf(context, stopping)
    // A client that goes away, or the emulator's stop, ends the sending: nobody is left to be told.
    await effect.send(spoiled, argument, { response: context.res, signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    return
  }
  writeAnswer(context, spoiled)
}

/** The answer, with everything done to it that can be done before it is sent. */
async function spoil(
  met: readonly MetFault[],
  context: Context,
  next: Next,
  request: FaultRequest,
): Promise<WireAnswer> {
  let answer: WireAnswer | undefined
  for (const { effect, argument } of met) {
    if (effect.stage === 'instead') answer ??= effect.answer(argument, request)
  }
  if (answer === undefined) {
    await next()
    answer = await readAnswer(context)
  } else {
    context.status = answer.status
  }
  for (const { effect, argument } of met) {
    if (effect.stage === 'feed') answer = distortFeed(answer, (feed) => effect.distort(feed, argument))
  }
  for (const { effect, argument } of met) {
    if (effect.stage === 'answer') answer = effect.change(answer, argument)
  }
  return answer
}

/** What is no list of nodes, perhaps since another fault has been at it, is left as it is. */
function distortFeed(answer: WireAnswer, distort: (feed: FeedDocument) => string): WireAnswer {
  const root = parseObject(answer.body.toString())
  const embedded = root?.['_embedded'] as JsonObject | undefined
  const nodes = embedded?.['instances'] ?? embedded?.['_instances']
  if (root === undefined || !Array.isArray(nodes)) return answer
  return { ...answer, body: Buffer.from(distort({ root, nodes })) }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

async function readAnswer(context: Context): Promise<WireAnswer> {
  const headers = Object.fromEntries(
    Object.entries(context.response.headers)
      .filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding')
      .map(([name, value]) => [name, String(value)]),
  )
  const body = context.body as string | Readable | undefined
  return {
    status: context.status,
    headers,
    body: typeof body === 'object' ? await buffer(body) : Buffer.from(body ?? ''),
  }
}

function writeAnswer(context: Context, answer: WireAnswer): void {
  context.status = answer.status
  context.body = answer.body
  // Koa guesses a type for the body: only what the answer says is sent.
  context.remove('Content-Type')
  context.set({ ...answer.headers })
}

function signalOf(context: Context, stopping: AbortSignal): AbortSignal {
  const closed = new AbortController()
  context.res.once('close', () => closed.abort())
  return AbortSignal.any([closed.signal, stopping])
}

function poolIn(path: string): string {
  const [, id = ''] = /^\/dashboard\/storagepools\/([^/]+)\/nodes/.exec(path) ?? []
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
