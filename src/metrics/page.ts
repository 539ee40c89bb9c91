import { atOnce, inSlices, type Steps } from '../slices.ts'
import { type Format, joinFamily, type Part } from './exposition.ts'
import { type Family, FEED_FAMILIES, PROBE, STATE } from './families.ts'
import { beginGzip, type GzipHead } from './gzip.ts'

/** The exposition of all storage systems. Immutable; each update creates a new one. */
export interface Page {
  /** Number of series. */
  readonly series: number
  /** The exposition without the metrics of the exporter itself and without `# EOF`. */
  identity(format: Format): Buffer
  gzip(format: Format): Promise<GzipHead>
  /** Prepares a form in slices, so that other requests are served meanwhile. */
  warm(form: Form): Promise<void>
  /** The forms requested so far; {@link warm} prepares them for the next page. */
  readonly requestedForms: ReadonlySet<Form>
}

/** Encoding and format of a page. */
export type Form = `${'identity' | 'gzip'} ${Format}`

const PAGE_FAMILIES: readonly Family[] = [...FEED_FAMILIES, ...Object.values(STATE), ...Object.values(PROBE)]

/** An empty line in the text format, as in the output of prom-client; OpenMetrics forbids empty lines. */
export const FAMILY_SEPARATOR: Readonly<Record<Format, string>> = { text: '\n', openmetrics: '' }

/** @param parts the lines of each pool and system, in the order of the exposition */
export function createPage(parts: readonly Part[], compress = beginGzip): Page {
  const bodies = new Map<Format, Buffer>()
  const heads = new Map<Format, Promise<GzipHead>>()
  const requestedForms = new Set<Form>()
  const warming = new Map<Form, Promise<void>>()

  function* bodySteps(format: Format): Steps<Buffer> {
    const ready = bodies.get(format) ?? (yield* renderBody(parts, format))
    bodies.set(format, ready)
    return ready
  }
  const body = (format: Format): Buffer => atOnce(bodySteps(format))

  function gzip(format: Format): Promise<GzipHead> {
    requestedForms.add(`gzip ${format}`)
    let ready = heads.get(format)
    if (ready === undefined) {
      ready = compress(body(format))
      heads.set(format, ready)
      // A failure, such as that of an allocation, is not repeated for the life of the page.
      ready.catch(() => heads.delete(format))
    }
    return ready
  }

  function identity(format: Format): Buffer {
    requestedForms.add(`identity ${format}`)
    return body(format)
  }

  async function warmForm(form: Form): Promise<void> {
    const [encoding, format] = form.split(' ') as ['identity' | 'gzip', Format]
    await inSlices(bodySteps(format))
    await (encoding === 'gzip' ? gzip(format) : identity(format))
  }

  /** Requests at the same time share the work. */
  function warmOnce(form: Form): Promise<void> {
    const shared = warming.get(form) ?? warmForm(form).finally(() => warming.delete(form))
    warming.set(form, shared)
    return shared
  }

  return {
    get series() {
      return countSeries(parts)
    },
    identity,
    gzip,
    warm: warmOnce,
    requestedForms,
  }
}

/** Renders and compresses a page in these forms, so that scrapes do not wait for it. */
export async function warm(page: Page, forms: Iterable<Form>): Promise<void> {
  for (const form of forms) await page.warm(form)
}

/** As bytes, because a string has a maximum length of half a gigabyte. */
function* renderBody(parts: readonly Part[], format: Format): Steps<Buffer> {
  const chunks: Buffer[] = []
  for (const family of PAGE_FAMILIES) {
    const text = joinFamily(family, parts, format)
    if (text === '') continue
    chunks.push(Buffer.from(chunks.length === 0 ? text : `${FAMILY_SEPARATOR[format]}${text}`))
    yield
  }
  return Buffer.concat(chunks)
}

/** Lines by part: most parts of a page are those of the previous page. */
const seriesOfParts = new WeakMap<Part, number>()

function countSeries(parts: readonly Part[]): number {
  let series = 0
  for (const part of parts) {
    const known = seriesOfParts.get(part) ?? countLines(part)
    seriesOfParts.set(part, known)
    series += known
  }
  return series
}

function countLines(part: Part): number {
  let lines = 0
  for (const text of part.values()) {
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 1
  }
  return lines
}
