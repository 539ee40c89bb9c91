import type { Context } from 'koa'
import { type Exposition, FAMILY_SEPARATOR } from '../../metrics/exposition.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import type { SendExposition } from './send_exposition.ts'

export interface ScrapeSources {
  readonly exposition: () => Exposition
  readonly own: OwnMetrics
}

/**
 * Handles `GET /metrics`: the prepared exposition, followed by the exporter's own metrics. The exposition is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape.
 */
export function createScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (context: Context) => Promise<void> {
  const tailOf = createTails(own)
  return (context) => sendExposition(context, { group: 'metrics', exposition: exposition(), tailOf })
}

/** The exporter's own metrics at the end of the exposition. With the same text, scrapes have the same tail. */
function createTails(own: OwnMetrics): (format: Format) => Promise<Buffer> {
  const last = new Map<Format, { readonly text: string; readonly tail: Buffer }>()
  return async (format) => {
    const text = await own.render(format)
    const before = last.get(format)
    if (before?.text === text) return before.tail
    const tail = Buffer.from(tailText(text, format))
    last.set(format, { text, tail })
    return tail
  }
}

/** The end of an exposition. @param hasBefore whether there are families before these of the exporter */
export function tailText(own: string, format: Format, hasBefore = true): string {
  const separator = hasBefore && own !== '' ? FAMILY_SEPARATOR[format] : ''
  return `${separator}${own}${format === 'openmetrics' ? OPENMETRICS_END : ''}`
}
