import type { Context } from 'koa'
import { FORMATS, type Format, OPENMETRICS_END } from '../../metrics/exposition.ts'
import { compressTail, endGzip, type GzipTail } from '../../metrics/gzip.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import { FAMILY_SEPARATOR, type Page } from '../../metrics/page.ts'
import { acceptsGzip, chooseFormat } from './negotiation.ts'

export interface ScrapeSources {
  readonly page: () => Page
  readonly own: OwnMetrics
}

/**
 * Handles `GET /metrics`: the prepared page, followed by the exporter's own metrics. The page is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape.
 */
export function createScrape({ page, own }: ScrapeSources): (context: Context) => Promise<void> {
  const tails = new Map<Format, GzipTail>()

  async function tailOf(format: Format): Promise<GzipTail> {
    const text = Buffer.from(await tailText(own, format))
    const last = tails.get(format)
    if (last?.text.equals(text)) return last
    const tail = compressTail(text)
    tails.set(format, tail)
    return tail
  }

  return async (context) => {
    const format = chooseFormat(context.get('Accept'))
    const gzip = acceptsGzip(context.get('Accept-Encoding'))
    const shown = page()
    const tail = await tailOf(format)
    const chunks = gzip ? endGzip(await shown.gzip(format), tail) : [shown.identity(format), tail.text]
    context.set('Content-Type', FORMATS[format])
    context.set('Vary', 'Accept, Accept-Encoding')
    if (gzip) context.set('Content-Encoding', 'gzip')
    context.length = chunks.reduce((total, chunk) => total + chunk.length, 0)
    sendChunks(context, chunks)
  }
}

async function tailText(own: OwnMetrics, format: Format): Promise<string> {
  const text = await own.render(format)
  return format === 'openmetrics' ? `${text}${OPENMETRICS_END}` : `${FAMILY_SEPARATOR[format]}${text}`
}

/** Bypasses Koa, which would copy the chunks into one buffer. */
function sendChunks(context: Context, chunks: readonly Buffer[]): void {
  context.respond = false
  const { res } = context
  res.statusCode = 200
  if (context.method !== 'HEAD') {
    res.cork()
    for (const chunk of chunks) res.write(chunk)
    res.uncork()
  }
  res.end()
}
