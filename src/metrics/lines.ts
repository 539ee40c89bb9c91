import type { Family } from './families.ts'

/** One sample of a family. `labels` is in exposition format: `name="value",…`. */
export interface Sample {
  readonly labels: string
  readonly value: number
  /** Seconds since the epoch; absent: the time of the scrape. */
  readonly t?: number
  /** After the name of the family, for the buckets of a histogram. */
  readonly suffix?: '_bucket'
}

/** Samples by family name. */
export type SampleSet = ReadonlyMap<string, readonly Sample[]>

/** Collects samples. A value that is not known gives none. */
export class Samples {
  readonly byFamily = new Map<string, Sample[]>()

  add(family: string, labels: string, value: number | undefined): void {
    if (value !== undefined) this.push(family, { labels, value })
  }

  push(family: string, sample: Sample): void {
    const list = this.byFamily.get(family)
    if (list === undefined) this.byFamily.set(family, [sample])
    else list.push(sample)
  }
}

/** The sample lines of one pool or system, rendered once. A part is joined into many expositions. */
export interface Part {
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

/** The sample lines of a family, without its header. Timestamps in seconds, as in OpenMetrics. */
export function sampleLines(name: string, samples: readonly Sample[]): string {
  let lines = ''
  for (const { labels, value, t, suffix = '' } of samples) {
    const series = labels === '' ? `${name}${suffix}` : `${name}${suffix}{${labels}}`
    lines += `${series} ${numberText(value)}${t === undefined ? '' : ` ${t}`}\n`
  }
  return lines
}

/** Renders samples in batches, because they take several times the memory of their lines. */
export function createPartBuilder() {
  const lines = new Map<string, { text: string; bytes: number; series: number }>()
  let total = 0
  return {
    add(samples: SampleSet): void {
      for (const [family, list] of samples) {
        // A family without samples would be a header alone.
        if (list.length === 0) continue
        const text = sampleLines(family, list)
        const bytes = Buffer.byteLength(text)
        const before = lines.get(family)
        if (before === undefined) lines.set(family, { text, bytes, series: list.length })
        else {
          before.text += text
          before.bytes += bytes
          before.series += list.length
        }
        total += bytes
      }
    },
    /** Length of the lines so far, in UTF-8. */
    bytes: (): number => total,
    part(): Part {
      const text = Buffer.allocUnsafeSlow(total)
      const families = new Map<string, Span>()
      let start = 0
      for (const [family, { text: ofFamily, bytes, series }] of lines) {
        text.write(ofFamily, start)
        families.set(family, { start, end: start + bytes, series })
        start += bytes
      }
      return partOf(text, families)
    },
  }
}

function partOf(text: Buffer, families: Part['families']): Part {
  return { text, families, series: [...families.values()].reduce((sum, { series }) => sum + series, 0) }
}

export function renderPart(samples: SampleSet): Part {
  const builder = createPartBuilder()
  builder.add(samples)
  return builder.part()
}

export function linesOf({ text, families }: Part, family: string): Buffer | undefined {
  const span = families.get(family)
  return span && text.subarray(span.start, span.end)
}

export function filterPart({ text, families }: Part, accepts: (family: string) => boolean): Part {
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
