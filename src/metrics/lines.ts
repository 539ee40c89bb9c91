import { oncePerKey } from '../values/cache.ts'
import type { Family } from './families.ts'

/**
 * Takes the value of one series. A value that is not known gives none.
 * @param name of the sample: that of its family, or for a histogram that of its buckets
 * @param labels in exposition format: `name="value",…`
 * @param more further labels, each after a comma. Texts that many series have are kept once.
 */
export type AddSample = (name: string, labels: string, value: number | undefined, more?: string) => void

/**
 * The series of one pool or system. A part is in many expositions, and their text is made of it: numbers, and labels that
 * many series share, take a fifth of the memory of lines.
 */
export interface Part {
  /** By the name of the samples. */
  readonly families: ReadonlyMap<string, Span>
  readonly series: number
  /** About the length of its lines. */
  readonly bytes: number
  readonly content: {
    /** Texts of labels, one after another. */
    readonly texts: Buffer
    /** Where each text begins, and the end of the last one; the first text is empty. */
    readonly starts: Uint32Array
    /** The indexes of two texts for each series. */
    readonly labels: Uint32Array
    readonly values: Float64Array
  }
}

/** The series of a family, which follow one another; `end` is the first one after them. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The exposition formats with their content types. */
export const FORMATS = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
export type Format = keyof typeof FORMATS

/** The end of an exposition. A scrape in OpenMetrics without it is incomplete. */
export const END = { text: '', openmetrics: '# EOF\n' } as const satisfies Record<Format, string>

/**
 * An exposition without the metrics of the exporter itself and without `# EOF`: in identity its text, in gzip blocks of
 * DEFLATE without the final one.
 */
export interface Body {
  readonly pieces: readonly Buffer[]
  readonly textBytes: number
  /** CRC-32 of the text. */
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
  let text = ''
  for (const name of Object.keys(labels))
    text += `${text === '' ? '' : ','}${name}="${escapeLabelValue(String(labels[name]))}"`
  return text
}

const LABEL = /([^=,]+)="((?:[^"\\]|\\.)*)"/g

/** `a="x",b="y"` → `{a: 'x', b: 'y'}`. */
export function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const [, name = '', escaped = ''] of text.matchAll(LABEL)) {
    const value = escaped.replace(/\\(.)/g, (_, special: string) => (special === 'n' ? '\n' : special))
    // A copy, because slices of a text take longer to read.
    labels[name] = Buffer.from(value).toString()
  }
  return labels
}

/** Not with `String`: V8 keeps its last texts in a cache, so that garbage collection takes all of them for long-lived. */
function numberText(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value)
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`
}

/** The line of one series. @param labels in exposition format */
export function sampleLine(name: string, labels: string, value: number): string {
  const number = numberText(value)
  return labels === '' ? `${name} ${number}\n` : `${name}{${labels}} ${number}\n`
}

/** With the characters around a number; most are shorter. */
const NUMBER_BYTES = 16
/** The longest number that JavaScript writes has 24 characters. */
const LONGEST_NUMBER_BYTES = 32

export function createPartBuilder() {
  const texts = ['']
  const indexOf = oncePerKey((text: string) => texts.push(text) - 1)
  const added = new Map<string, { readonly labels: number[]; readonly values: number[] }>()
  const seriesOf = oncePerKey(() => ({ labels: [], values: [] }), added)
  let [series, bytes] = [0, 0]
  let [last, lastIndex] = ['', 0]

  const add: AddSample = (name, labels, value, more = '') => {
    if (value === undefined) return
    const family = seriesOf(name)
    // Many series follow one another with the same labels.
    if (labels !== last) [last, lastIndex] = [labels, indexOf(labels)]
    family.labels.push(lastIndex, more === '' ? 0 : indexOf(more))
    family.values.push(value)
    series += 1
    bytes += name.length + labels.length + more.length + NUMBER_BYTES
  }

  return {
    add,
    /** About the length of the lines so far. */
    bytes: (): number => bytes,
    part(): Part {
      const [labels, values] = [new Uint32Array(2 * series), new Float64Array(series)]
      const families = new Map<string, Span>()
      let start = 0
      for (const [name, family] of added) {
        labels.set(family.labels, 2 * start)
        values.set(family.values, start)
        families.set(name, { start, end: start + family.values.length })
        start += family.values.length
      }
      return { families, series, bytes, content: { ...joinedTexts(texts), labels, values } }
    },
  }
}

/** A buffer for each text would take more memory than the text. */
function joinedTexts(texts: readonly string[]): Pick<Part['content'], 'texts' | 'starts'> {
  const starts = new Uint32Array(texts.length + 1)
  for (const [index, text] of texts.entries())
    starts[index + 1] = (starts[index] ?? 0) + Buffer.byteLength(text)
  return { texts: Buffer.from(texts.join('')), starts }
}

export function createPart(addSamples: (add: AddSample) => void): Part {
  const { add, part } = createPartBuilder()
  addSamples(add)
  return part()
}

export function filterPart(part: Part, accepts: (name: string) => boolean): Part {
  const families = new Map([...part.families].filter(([name]) => accepts(name)))
  const series = [...families.values()].reduce((sum, { start, end }) => sum + end - start, 0)
  return { ...part, families, series }
}

const [CLOSING_BRACE = 0, BLANK = 0, NEWLINE = 0] = Buffer.from('} \n')

/**
 * Writes the lines of series of one family, as many as fit.
 * @param at where to write
 * @returns the first series that did not fit, and the end of what was written
 */
export function writeLines(
  { content: { texts, starts, labels, values } }: Part,
  name: string,
  { start, end }: Span,
  target: Buffer,
  at: number,
): { readonly next: number; readonly at: number } {
  const before = Buffer.from(`${name}{`)
  let to = at
  for (let series = start; series < end; series += 1) {
    const [first = 0, second = 0] = [labels[2 * series], labels[2 * series + 1]]
    const [from = 0, until = 0] = [starts[first], starts[first + 1]]
    const [moreFrom = 0, moreUntil = 0] = [starts[second], starts[second + 1]]
    const bytes = before.length + until - from + moreUntil - moreFrom
    if (to + bytes + LONGEST_NUMBER_BYTES > target.length) return { next: series, at: to }
    target.set(before, to)
    to += before.length
    to += texts.copy(target, to, from, until)
    if (moreFrom < moreUntil) to += texts.copy(target, to, moreFrom, moreUntil)
    target[to++] = CLOSING_BRACE
    target[to++] = BLANK
    const number = numberText(values[series] ?? 0)
    for (let index = 0; index < number.length; index += 1) target[to++] = number.charCodeAt(index)
    target[to++] = NEWLINE
  }
  return { next: end, at: to }
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
