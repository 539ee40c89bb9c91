import { createGunzip } from 'node:zlib'
import type { Context } from 'koa'
import { HttpError } from '../../values/http_error.ts'
import type { ResponseSlots } from '../response_slots.ts'
import type { ProbeSources } from './probe.ts'
import { acceptsGzip, PIECE_BYTES, type SendBody } from './send_exposition.ts'
import { readTarget } from './targets.ts'

interface HistoryOptions extends Pick<ProbeSources, 'systems' | 'history'> {
  readonly slots: ResponseSlots
  readonly sendBody: SendBody
}

const DISABLED = new HttpError(404, 'The history is disabled: set history.enabled in the configuration.')
const PARAMETERS = { system: 'a name in the configuration' } as const

/** Handles `GET /history?system=NAME`: the last samples of a configured system, from memory, in the text format. */
export function createHistory(options: HistoryOptions): (context: Context) => Promise<void> {
  const { systems, history, slots, sendBody } = options
  return async (context) => {
    const { system } = readTarget(context.querystring, systems(), PARAMETERS)
    const document = history(system)
    if (document === undefined) throw DISABLED
    const slot = slots.take(context.res, { group: `history ${system}`, exposition: document })
    const isGzip = acceptsGzip(context.get('Accept-Encoding'))
    const { gzip, bytes } = await document.packed()
    if (context.res.destroyed) return
    if (isGzip) await sendBody(context, slot, { format: 'text', isGzip, bytes: gzip.length, chunks: [gzip] })
    else await sendBody(context, slot, { format: 'text', isGzip, bytes, chunks: unpacked(gzip) })
  }
}

/** Decompresses as fast as the client reads. */
function unpacked(gzip: Buffer): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  gunzip.end(gzip)
  return gunzip
}
