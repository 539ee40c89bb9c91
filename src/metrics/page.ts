import { type Format, joinFamily, type Part } from './exposition.ts'
import { type Family, FEED_FAMILIES, STATE } from './families.ts'
import { beginGzip, type GzipHead } from './gzip.ts'

/** The exposition of all storage systems. Immutable; each update creates a new one. */
export interface Page {
  /** Number of series. */
  readonly series: number
  /** The exposition without the metrics of the exporter itself and without `# EOF`. */
  identity(format: Format): Buffer
  gzip(format: Format): Promise<GzipHead>
  /** The forms requested so far; {@link warm} prepares them for the next page. */
  readonly requestedForms: ReadonlySet<Form>
}

/** Encoding and format of a page. */
export type Form = `${'identity' | 'gzip'} ${Format}`

const PAGE_FAMILIES: readonly Family[] = [...FEED_FAMILIES, ...Object.values(STATE)]

/** An empty line in the text format, as in the output of prom-client; OpenMetrics forbids empty lines. */
export const FAMILY_SEPARATOR: Readonly<Record<Format, string>> = { text: '\n', openmetrics: '' }

/** @param parts the lines of each pool and system, in the order of the exposition */
export function createPage(parts: readonly Part[]): Page {
  const bodies = new Map<Format, Buffer>()
  const heads = new Map<Format, Promise<GzipHead>>()
  const requestedForms = new Set<Form>()

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
    requestedForms.add(`gzip ${format}`)
    let ready = heads.get(format)
    if (ready === undefined) {
      ready = beginGzip(body(format))
      heads.set(format, ready)
    }
    return ready
  }

  function identity(format: Format): Buffer {
    requestedForms.add(`identity ${format}`)
    return body(format)
  }

  return { series: countSeries(parts), identity, gzip, requestedForms }
}

/** Renders and compresses a page in these forms, so that scrapes do not wait for it. */
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
