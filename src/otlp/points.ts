import { unitOf } from '../catalogue.ts'
import type { FamilyLines } from '../metrics/exposition.ts'
import type { Family } from '../metrics/families.ts'
import { MS_PER_SECOND } from '../time_units.ts'

/** From lines in the text format, which have no times, to points of OTLP, so that what is pushed is what a scrape has. */

/** Seconds and nanoseconds since the epoch. */
type Time = [number, number]

/** A point in the form of the OpenTelemetry packages. */
interface Point<Value> {
  readonly attributes: Record<string, string>
  readonly startTime: Time
  readonly endTime: Time
  readonly value: Value
}

interface Histogram {
  readonly count: number
  /** Undefined: the family has no sum. */
  readonly sum?: number
  readonly buckets: { readonly boundaries: number[]; readonly counts: number[] }
}

interface Described {
  readonly name: string
  readonly help: string
  /** In UCUM; empty: none. */
  readonly unit: string
}

export type MetricPoints =
  | (Described & { readonly type: 'gauge' | 'counter'; readonly points: Point<number>[] })
  | (Described & { readonly type: 'histogram'; readonly points: Point<Histogram>[] })

/** Lines of a family with the time of their samples, in milliseconds since the epoch. */
interface TimedLines {
  readonly family: Pick<Family, 'name' | 'help' | 'type'>
  readonly lines: Buffer | string
  readonly timeMs: number
}

/**
 * Units that receivers for Prometheus have in the name already, so that they leave it as it is. To one per second they would
 * append another `_per_second`.
 */
const UCUM: Readonly<Record<Family['unit'], string>> = {
  bytes: 'By',
  bytes_per_second: '',
  ratio: '1',
  seconds: 's',
  '': '',
}

export function* exposed(lines: Iterable<FamilyLines>, timeMs: number): Generator<TimedLines> {
  for (const one of lines) yield { ...one, timeMs }
}

/** The families of a text whose families have HELP and TYPE. */
export function* familiesIn(text: string, timeMs: number): Generator<TimedLines> {
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [, name, help = '', type, lines] =
      /^# HELP (\S+) ?(.*)\n# TYPE \S+ (\S+)\n([\s\S]*)$/.exec(block) ?? []
    if (name === undefined || lines === undefined) continue
    const family = { name, help: unescaped(help), type: type as Family['type'] }
    // An empty line separates families.
    yield { family, lines: `${lines.trimEnd()}\n`, timeMs }
  }
}

/**
 * Points in batches of at most so many lines, or one histogram.
 * @param startMs since when counters count
 */
export function* pointBatches(
  sources: Iterable<TimedLines>,
  { startMs, linesOfBatch }: { readonly startMs: number; readonly linesOfBatch: number },
): Generator<readonly MetricPoints[]> {
  const startTime = timeOf(startMs)
  let batch: MetricPoints[] = []
  let lines = 0
  for (const { family, lines: bytes, timeMs } of sources) {
    const text = bytes.toString()
    const times = { startTime, endTime: timeOf(timeMs) }
    for (let at = 0; at < text.length; ) {
      const read = family.type === 'histogram' ? readHistograms : readNumbers
      const found = read(text, at, { most: linesOfBatch - lines, times })
      add(batch, family, found.points)
      at = found.end
      lines += found.lines
      if (lines < linesOfBatch) continue
      yield batch
      batch = []
      lines = 0
    }
  }
  if (batch.length > 0) yield batch
}

/** The points of several parts are in one metric. */
function add(
  batch: MetricPoints[],
  { name, help, type }: TimedLines['family'],
  points: readonly unknown[],
): void {
  const last = batch.at(-1)
  if (last?.name === name) (last.points as unknown[]).push(...points)
  else batch.push({ name, help, type, unit: UCUM[unitOf(name)], points } as MetricPoints)
}

type Times = Pick<Point<number>, 'startTime' | 'endTime'>
interface Range {
  readonly most: number
  readonly times: Times
}
interface Found<Value> {
  readonly points: Point<Value>[]
  /** How many lines were read, and where the next one begins. */
  readonly lines: number
  readonly end: number
}

function readNumbers(text: string, start: number, { most, times }: Range): Found<number> {
  const points: Point<number>[] = []
  const names: Names = []
  let at = start
  for (; at < text.length && points.length < most; ) {
    const { attributes, value, end } = readLine(text, at, names)
    // The times first: V8 would otherwise allocate points in the old generation, and keep their texts until a full collection.
    points.push({ ...times, attributes, value })
    at = end
  }
  return { points, lines: points.length, end: at }
}

function readHistograms(text: string, start: number, { most, times }: Range): Found<Histogram> {
  const points: Point<Histogram>[] = []
  let [at, lines] = [start, 0]
  while (at < text.length && lines < most) {
    const { end, lines: read, ...point } = readHistogram(text, at)
    points.push({ ...point, ...times })
    at = end
    lines += read
  }
  return { points, lines, end: at }
}

/** A histogram has its lines one after another: the buckets, upwards, and the sum and the count if it has them. */
function readHistogram(text: string, start: number) {
  const { le: _bound, ...attributes } = readLine(text, start).attributes
  const buckets = { boundaries: [] as number[], counts: [] as number[] }
  let [end, lines, count] = [start, 0, 0]
  let sum: number | undefined
  while (end < text.length) {
    const line = readLine(text, end)
    if (!isOf(line.attributes, attributes)) break
    const { le } = line.attributes
    if (le !== undefined) {
      if (le !== '+Inf') buckets.boundaries.push(Number(le))
      buckets.counts.push(line.value - count)
      count = line.value
      // The count that follows is that of the last bucket.
    } else if (line.name.endsWith('_sum')) sum = line.value
    end = line.end
    lines += 1
  }
  return { attributes, value: { count, ...(sum !== undefined && { sum }), buckets }, end, lines }
}

/** Whether the labels, without that of a bucket, are these. */
function isOf({ le: _bound, ...labels }: Readonly<Record<string, string>>, expected: object): boolean {
  const entries = Object.entries(labels)
  return (
    entries.length === Object.keys(expected).length &&
    entries.every(([name, value]) => (expected as Record<string, string>)[name] === value)
  )
}

interface Line {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly value: number
  /** Where the next line begins. */
  readonly end: number
}

/** The labels of the line before, whose names most lines have, too. */
type Names = string[]

function readLine(text: string, start: number, names: Names = []): Line {
  const end = text.indexOf('\n', start)
  let at = start
  while (text.charCodeAt(at) !== BRACE && text.charCodeAt(at) !== BLANK) at += 1
  const name = text.slice(start, at)
  const attributes: Record<string, string> = {}
  if (text.charCodeAt(at) === BRACE) at = readLabels(text, at + 1, names, attributes)
  return { name, attributes, value: numberOf(text.slice(at + 1, end)), end: end + 1 }
}

const [BRACE, CLOSING_BRACE, BLANK, COMMA] = ['{', '}', ' ', ','].map((text) => text.charCodeAt(0))

/** @returns where the blank before the value is */
function readLabels(text: string, start: number, names: Names, attributes: Record<string, string>): number {
  let at = start
  for (let index = 0; text.charCodeAt(at) !== CLOSING_BRACE; index += 1) {
    const known = names[index]
    const isKnown = known !== undefined && text.startsWith(known, at) && text[at + known.length] === '='
    const name = isKnown ? known : text.slice(at, text.indexOf('=', at))
    names[index] = name
    const first = at + name.length + 2
    const quote = closingQuote(text, first)
    attributes[name] = unescaped(text.slice(first, quote))
    at = text.charCodeAt(quote + 1) === COMMA ? quote + 2 : quote + 1
  }
  return at + 1
}

function closingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start)
  for (; isEscaped(text, quote); ) quote = text.indexOf('"', quote + 1)
  return quote
}

/** Whether an odd number of backslashes is before the character. */
function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text[first - 1] === '\\') first -= 1
  return (index - first) % 2 === 1
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)
}

const NANOSECONDS_PER_MS = 1e6

function timeOf(ms: number): Time {
  const seconds = Math.floor(ms / MS_PER_SECOND)
  return [seconds, Math.round((ms - seconds * MS_PER_SECOND) * NANOSECONDS_PER_MS)]
}
