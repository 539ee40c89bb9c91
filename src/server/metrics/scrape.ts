import { type Exposition, FAMILY_SEPARATOR } from '../../metrics/exposition.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import type { Exchange } from './pieces.ts'
import type { SendExposition } from './send_exposition.ts'

export interface ScrapeSources {
  readonly exposition: () => Exposition
  readonly own: OwnMetrics
}

const GROUP = 'metrics'

/**
 * Handles `GET /metrics`: the prepared exposition, followed by the exporter's own metrics. The exposition is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape.
 */
export function createScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (exchange: Exchange) => Promise<void> {
  const tailOf = createTails(own)
  return (exchange) => sendExposition(exchange, { group: GROUP, exposition: exposition(), tailOf })
}

/**
 * The exporter's own metrics at the end of the exposition. Scrapes at the same time share one rendering, and with the same
 * text they have the same tail.
 */
function createTails(own: OwnMetrics): (format: Format) => Promise<Buffer> {
  const last = new Map<Format, { readonly text: string; readonly tail: Buffer }>()
  const rendering = new Map<Format, Promise<Buffer>>()
  const render = async (format: Format) => {
    const text = await own.render(format)
    const before = last.get(format)
    if (before?.text === text) return before.tail
    const tail = Buffer.from(tailText(text, format))
    last.set(format, { text, tail })
    return tail
  }
  return (format) => {
    const shared = rendering.get(format) ?? render(format).finally(() => rendering.delete(format))
    rendering.set(format, shared)
    return shared
  }
}

function tailText(text: string, format: Format): string {
  return format === 'openmetrics' ? `${text}${OPENMETRICS_END}` : `${FAMILY_SEPARATOR[format]}${text}`
}
