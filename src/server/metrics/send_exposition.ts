import type { Context } from 'koa'
import type { Exposition } from '../../metrics/exposition.ts'
import { endGzip } from '../../metrics/gzip.ts'
import type { Body, Format } from '../../metrics/lines.ts'
import type { HeldExposition, ResponseSlots } from '../response_slots.ts'
import { acceptsGzip, chooseFormat, memoize } from './negotiation.ts'
import { PIECE_BYTES, type SendBody } from './send_body.ts'

interface ExpositionResponse extends HeldExposition {
  readonly exposition: Exposition
  /** What follows the exposition. */
  readonly tailOf: (format: Format) => Buffer | Promise<Buffer>
}

/** Sends an exposition in the form that the client accepts; 503 if too many responses are in flight. */
export type SendExposition = (context: Context, response: ExpositionResponse) => Promise<void>

export function createSendExposition(slots: ResponseSlots, sendBody: SendBody): SendExposition {
  const complete = createCompletion()
  const [formatOf, isGzipOf] = [memoize(chooseFormat), memoize(acceptsGzip)]
  return async (context, response) => {
    const { res } = context
    const { exposition, tailOf } = response
    const slot = slots.take(res, response)
    const { accept, 'accept-encoding': encodings } = context.req.headers
    const format = formatOf(accept)
    const isGzip = isGzipOf(encodings)
    const tail = await tailOf(format)
    if (res.destroyed) return
    const body = await exposition.body(isGzip ? `gzip ${format}` : `identity ${format}`)
    if (res.destroyed) return
    await sendBody(context, slot, { format, isGzip, ...complete(body, tail, isGzip) })
  }
}

interface Complete {
  readonly tail: Buffer
  readonly bytes: number
  readonly chunks: readonly Buffer[]
}

/** A body with its tail, in one chunk if it is small. Kept with the body, because most scrapers come at the same time. */
function createCompletion() {
  const kept = new WeakMap<Body, Complete>()
  return (body: Body, tail: Buffer, isGzip: boolean): Complete => {
    const last = kept.get(body)
    if (last?.tail === tail) return last
    const chunks = isGzip ? endGzip(body, tail) : [...body.pieces, tail]
    const bytes = chunks.reduce((total, chunk) => total + chunk.length, 0)
    const complete = { tail, bytes, chunks: bytes > PIECE_BYTES ? chunks : [Buffer.concat(chunks, bytes)] }
    kept.set(body, complete)
    return complete
  }
}
