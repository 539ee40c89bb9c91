import type { Family } from './families.ts'

/** One number of a family, with its labels already written as `name="value",…`. */
export interface Sample {
  readonly labels: string
  readonly value: number
  /** Seconds since the epoch; left out where the time of the scrape is meant. */
  readonly t?: number
}

/** Samples by the name of their family. */
export type SampleSet = ReadonlyMap<string, readonly Sample[]>
/** Sample lines by the name of their family: what one pool contributes to a page. */
export type Part = ReadonlyMap<string, string>

/** The two formats that Prometheus speaks, with their content types. */
export const FORMATS = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
export type Format = keyof typeof FORMATS

/** The line that ends an OpenMetrics exposition; its absence tells a broken transfer. */
export const OPENMETRICS_END = '# EOF\n'

const LABEL_SPECIALS = /[\\"\n]/

/** Escapes a label value; half a surrogate pair, which UTF-8 cannot carry, becomes U+FFFD. */
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

/** The lines of a family's samples, without its header. Timestamps are written in OpenMetrics' seconds. */
export function sampleLines(name: string, samples: readonly Sample[]): string {
  let lines = ''
  for (const { labels, value, t } of samples) {
    const series = labels === '' ? name : `${name}{${labels}}`
    lines += `${series} ${numberText(value)}${t === undefined ? '' : ` ${t}`}\n`
  }
  return lines
}

/** Renders samples once, to be joined into pages as often as needed. */
export function renderPart(samples: SampleSet): Part {
  return new Map([...samples].map(([name, list]) => [name, sampleLines(name, list)]))
}

function escapeHelp(help: string, format: Format): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped
}

/** HELP, TYPE and, in OpenMetrics, UNIT. There a counter's family is called without `_total`. */
export function familyHeader(family: Omit<Family, 'labels'>, format: Format): string {
  const openmetrics = format === 'openmetrics'
  const name = openmetrics && family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name
  const unit = openmetrics && family.unit !== '' ? `# UNIT ${name} ${family.unit}\n` : ''
  return `# HELP ${name} ${escapeHelp(family.help, format)}\n# TYPE ${name} ${family.type}\n${unit}`
}

/** One family with the lines that all parts have of it; nothing where none has any. */
export function joinFamily(family: Omit<Family, 'labels'>, parts: Iterable<Part>, format: Format): string {
  let lines = ''
  for (const part of parts) lines += part.get(family.name) ?? ''
  return lines === '' ? '' : `${familyHeader(family, format)}${lines}`
}
