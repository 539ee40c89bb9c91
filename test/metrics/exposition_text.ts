import { createExposition } from '../../src/metrics/exposition.ts'
import type { Part } from '../../src/metrics/lines.ts'

/** One series of a parsed exposition. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gs
const UNESCAPED: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** Parses the sample lines of an exposition. Independent of the code of the exporter. */
export function parseExposition(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line)
    if (match === null) throw new Error(`not a sample line: ${line}`)
    return {
      name: match[1] ?? '',
      labels: parseLabels(match[2] ?? ''),
      value: Number(match[3]?.replace('Inf', 'Infinity')),
    }
  })
}

function parseLabels(text: string): Record<string, string> {
  const found = [...text.matchAll(LABEL)]
  if (found.map(([whole]) => whole).join('') !== text) throw new Error(`not a label set: ${text}`)
  return Object.fromEntries(
    found.map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/gs, (_, code: string) => UNESCAPED[code] ?? code),
    ]),
  )
}

/** The single series with this name and these labels. @throws if there is none or more than one */
export function oneSample(text: string, name: string, labels: Readonly<Record<string, string>> = {}): Sample {
  const found = parseExposition(text).filter(
    (series) =>
      series.name === name && Object.entries(labels).every(([key, value]) => series.labels[key] === value),
  )
  const [series] = found
  if (series === undefined || found.length > 1) {
    throw new Error(`${found.length} series of ${name} with ${JSON.stringify(labels)}`)
  }
  return series
}

/** The lines of a part. */
export function partText(part: Part): string {
  return createExposition([part])
    .text('text')
    .replace(/^(?:#.*)?\n/gm, '')
}
