import { createGunzip } from 'node:zlib'
import type { Context } from 'koa'
import { sendText } from '../page/send_text.ts'
import { acceptsGzip, chooseFormat } from './negotiation.ts'
import { PIECE_BYTES, type SendBody } from './pieces.ts'
import type { ProbeSources } from './probe.ts'
import type { ScrapeSlots } from './scrape_slots.ts'
import { takeSlot } from './send_exposition.ts'
import { readTarget, refuseRequest } from './target.ts'

interface HistoryOptions extends Pick<ProbeSources, 'systems' | 'history'> {
  readonly slots: ScrapeSlots
  readonly sendBody: SendBody
}

const DISABLED = 'The history is disabled: set history.enabled in the configuration.'
const PARAMETERS = { system: 'a name in the configuration' } as const

/** Handles `GET /history?system=NAME`: the last samples of a configured system, from memory. */
export function createHistory(options: HistoryOptions): (context: Context) => Promise<void> {
  const { systems, history, slots, sendBody } = options
  return async (context) => {
    const target = readTarget(context.querystring, systems(), PARAMETERS)
    if (typeof target === 'string') return refuseRequest(context, target)
    const { system } = target
    const document = history(system)
    if (document === undefined) return sendText(context, 404, DISABLED)
    const slot = takeSlot(context.res, slots, { group: `history ${system}`, exposition: document })
    if (slot === undefined) return
    const format = chooseFormat(context.get('Accept'))
    const isGzip = acceptsGzip(context.get('Accept-Encoding'))
    const { gzip, bytes } = await document.packed(format)
    if (context.res.destroyed) return
    if (isGzip) await sendBody(context, slot, { format, isGzip, bytes: gzip.length, chunks: [gzip] })
    else await sendBody(context, slot, { format, isGzip, bytes, chunks: unpacked(gzip) })
  }
}

/** Decompresses as fast as the client reads. */
function unpacked(gzip: Buffer): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  gunzip.end(gzip)
  return gunzip
}
