import { type Format, joinFamily, type Part } from './exposition.ts'
import { type Family, FEED_FAMILIES, STATE } from './families.ts'
import { beginGzip, type GzipHead } from './gzip.ts'

/** All that a scrape shows of the storage systems: made whole, never edited, replaced by the next one. */
export interface Page {
  /** Number of series. */
  readonly series: number
  /** The exposition without the exporter's own metrics and without an end line. */
  identity(format: Format): Buffer
  gzip(format: Format): Promise<GzipHead>
  /** The forms that were asked for, of this page or of one before it, so that the next page has them ready. */
  readonly asked: ReadonlySet<Form>
}

/** One way in which a page is sent. */
export type Form = `${'identity' | 'gzip'} ${Format}`

const PAGE_FAMILIES: readonly Family[] = [...FEED_FAMILIES, ...Object.values(STATE)]

/** Families are apart by an empty line in the text format, as prom-client writes it; OpenMetrics forbids them. */
export const FAMILY_SEPARATOR: Readonly<Record<Format, string>> = { text: '\n', openmetrics: '' }

/** @param parts what each pool and system contributes, in the order in which their series are written */
export function createPage(parts: readonly Part[]): Page {
  const bodies = new Map<Format, Buffer>()
  const heads = new Map<Format, Promise<GzipHead>>()
  const asked = new Set<Form>()

  function body(format: Format): Buffer {
    let ready = bodies.get(format)
    if (ready === undefined) {
      const families = PAGE_FAMILIES.map((family) => joinFamily(family, parts, format))
      ready = Buffer.from(families.filter((text) => text !== '').join(FAMILY_SEPARATOR[format]))
      bodies.set(format, ready)
    }
    return ready
  }

  function gzip(format: Format): Promise<GzipHead> {
    asked.add(`gzip ${format}`)
    let ready = heads.get(format)
    if (ready === undefined) {
      ready = beginGzip(body(format))
      heads.set(format, ready)
    }
    return ready
  }

  function identity(format: Format): Buffer {
    asked.add(`identity ${format}`)
    return body(format)
  }

  return { series: countSeries(parts), identity, gzip, asked }
}

/** Makes ready what was asked of the page before, so that no scrape has to wait for it. */
export async function warm(page: Page, forms: Iterable<Form>): Promise<void> {
  for (const form of forms) {
    const [encoding, format] = form.split(' ') as ['identity' | 'gzip', Format]
    await page[encoding](format)
  }
}

function countSeries(parts: readonly Part[]): number {
  let lines = 0
  for (const part of parts) {
    for (const text of part.values()) {
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 1
    }
  }
  return lines
}
