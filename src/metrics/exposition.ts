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
/** Sample lines by family name: the part of a page of one pool or system. */
export type Part = ReadonlyMap<string, string>

/** The exposition formats with their content types. */
export const FORMATS = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
export type Format = keyof typeof FORMATS

/** The last line of an OpenMetrics exposition. A scrape without it is incomplete. */
export const OPENMETRICS_END = '# EOF\n'

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

/** Renders samples once; the result can be joined into several pages. */
export function renderPart(samples: SampleSet): Part {
  return new Map([...samples].map(([name, list]) => [name, sampleLines(name, list)]))
}

/** The length of the lines in UTF-8. */
export function partBytes(part: Part): number {
  return [...part.values()].reduce((sum, lines) => sum + Buffer.byteLength(lines), 0)
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

/** One family with the sample lines of all parts; empty without sample lines. */
export function joinFamily(family: Omit<Family, 'labels'>, parts: Iterable<Part>, format: Format): string {
  let lines = ''
  for (const part of parts) lines += part.get(family.name) ?? ''
  return lines === '' ? '' : `${familyHeader(family, format)}${lines}`
}
