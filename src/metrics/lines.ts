import type { Family } from './families.ts'

/**
 * Takes the value of one series. A value that is not known gives none.
 * @param labels in exposition format: `name="value",…`
 * @param suffix after the name of the family, for the buckets of a histogram
 */
export type AddSample = (
  family: string,
  labels: string,
  value: number | undefined,
  suffix?: '_bucket' | '',
) => void

/** The sample lines of one pool or system, rendered once. A part is joined into many expositions. */
export interface RenderedPart {
  readonly text: Buffer
  /** The range of the lines of each family. */
  readonly families: ReadonlyMap<string, Span>
  readonly series: number
}

/** A range of bytes, and the number of series in it. */
interface Span {
  readonly start: number
  readonly end: number
  readonly series: number
}

/** The exposition formats with their content types. */
export const FORMATS = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
export type Format = keyof typeof FORMATS

/** The last line of an OpenMetrics exposition. A scrape without it is incomplete. */
export const OPENMETRICS_END = '# EOF\n'

/**
 * An exposition without the metrics of the exporter itself and without `# EOF`: in identity its text, in gzip blocks of
 * DEFLATE without the final one.
 */
export interface Body {
  readonly pieces: readonly Buffer[]
  readonly textBytes: number
  /** CRC-32 of the text; 0 in identity. */
  readonly crc: number
}

const LABEL_SPECIALS = /[\\"\n]/

/** Escapes a label value; lone surrogates, which UTF-8 cannot encode, become U+FFFD. */
export function escapeLabelValue(value: string): string {
  const text = value.isWellFormed() ? value : value.toWellFormed()
  return LABEL_SPECIALS.test(text)
    ? text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
    : text
}

/** `{a: 'x', b: 'y'}` → `a="x",b="y"`. */
export function labelText(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabelValue(String(value))}"`)
    .join(',')
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}

/** The line of one series. @param labels in exposition format */
export function sampleLine(name: string, labels: string, value: number): string {
  const number = numberText(value)
  return labels === '' ? `${name} ${number}\n` : `${name}{${labels}} ${number}\n`
}

export function createPartBuilder() {
  const lines = new Map<string, { text: string; series: number }>()
  let characters = 0

  function linesOfFamily(family: string) {
    const known = lines.get(family)
    if (known !== undefined) return known
    const created = { text: '', series: 0 }
    lines.set(family, created)
    return created
  }

  const add: AddSample = (family, labels, value, suffix = '') => {
    if (value === undefined) return
    const line = sampleLine(`${family}${suffix}`, labels, value)
    const ofFamily = linesOfFamily(family)
    ofFamily.text += line
    ofFamily.series += 1
    characters += line.length
  }

  return {
    add,
    /** Length of the lines so far. */
    characters: (): number => characters,
    part(): RenderedPart {
      const families = new Map<string, Span>()
      let start = 0
      for (const [family, { text, series }] of lines) {
        const end = start + Buffer.byteLength(text)
        families.set(family, { start, end, series })
        start = end
      }
      // Not of the pool of small buffers, which stays in memory as long as one of them.
      const bytes = Buffer.allocUnsafeSlow(start)
      let end = 0
      for (const { text } of lines.values()) end += bytes.write(text, end)
      return partOf(bytes, families)
    },
  }
}

function partOf(text: Buffer, families: RenderedPart['families']): RenderedPart {
  return { text, families, series: [...families.values()].reduce((sum, { series }) => sum + series, 0) }
}

export function renderPart(addSamples: (add: AddSample) => void): RenderedPart {
  const { add, part } = createPartBuilder()
  addSamples(add)
  return part()
}

export function linesOf({ text, families }: RenderedPart, family: string): Buffer | undefined {
  const span = families.get(family)
  return span && text.subarray(span.start, span.end)
}

export function filterPart(
  { text, families }: RenderedPart,
  accepts: (family: string) => boolean,
): RenderedPart {
  return partOf(text, new Map([...families].filter(([family]) => accepts(family))))
}

function escapeHelp(help: string, format: Format): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped
}

/** HELP, TYPE and, in OpenMetrics, UNIT. In OpenMetrics the family name of a counter has no `_total`. */
export function familyHeader(family: Omit<Family, 'labels'>, format: Format): string {
  const openmetrics = format === 'openmetrics'
  const name = openmetrics && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name
  const unit = openmetrics && family.unit !== '' ? `# UNIT ${name} ${family.unit}\n` : ''
  return `# HELP ${name} ${escapeHelp(family.help, format)}\n# TYPE ${name} ${family.type}\n${unit}`
}
