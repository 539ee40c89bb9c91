import fc from 'fast-check'
import { fuzz } from './fuzz.ts'

/** A function that reads text from outside. */
export interface Reader {
  readonly name: string
  /** Length of the longest text that it is given in bytes. */
  readonly bytes: number
  /** Valid texts. `§` is where parts are repeated. */
  readonly texts: readonly string[]
  /** What is repeated, besides each character of one byte. `¤` is the number of the repetition, `¶` a name of any length. */
  readonly tokens: readonly string[]
  /** Throws, or returns any result; a function is what follows in a later turn of the event loop. */
  readonly read: (text: string) => unknown
}

/** A text: two parts, repeated one after the other or in turns, between a beginning and an end. */
interface Pattern {
  readonly begin: string
  readonly first: string
  readonly second: string
  readonly end: string
  readonly isInTurns: boolean
  /** Length of the names. */
  readonly name: number
  /** How often the parts are repeated: as often as the limits of the parsers allow, or as the length does. */
  readonly limit: 'values' | 'sequences' | 'bytes'
}

/** What a system or a client can make the exporter compute before it does anything else. */
const MAX_MS = 500
/** The best of several counts, because a garbage collection or the compiler may take part. */
const MEASUREMENTS = 3
/** Runs in the test suite: `npm run fuzz` has more. */
const SUITE_RUNS = 3

/** Defines the test that a reader takes at most 500 ms of CPU time in one go, whatever the text is made of. */
export function boundedTime(reader: Reader): void {
  fuzz(`CPU time of: ${reader.name}`, {
    corpus: `time/${reader.name.replaceAll(/\W+/g, '_')}`,
    input: patterns(reader).map((pattern) => JSON.stringify(pattern)),
    runs: SUITE_RUNS,
    // Each step would read texts that take long.
    endOnFailure: true,
    check: (json) => check(reader, JSON.parse(json)),
  })
}

const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
const NAME_CHARACTERS = [1, 32, 256, 257, 4_096, 100_000, 900_000]

/** Valid texts with one or two repeated parts, or beginnings of them. */
function patterns({ texts, tokens }: Reader): fc.Arbitrary<Pattern> {
  const byte = fc.constantFrom(...BYTES)
  const token = fc.constantFrom(...tokens)
  const odd = fc.oneof(
    byte,
    fc.array(fc.oneof(token, byte), { minLength: 2, maxLength: 8 }).map((list) => list.join('')),
    fc.string({ minLength: 500, maxLength: 2000, unit: 'binary-ascii' }),
  )
  const around = fc
    .record({ text: fc.constantFrom(...texts), cut: fc.option(fc.nat()), odd })
    .map((parts) => {
      const [begin = '', end = ''] = parts.text.split('§')
      const valid = begin + end
      return parts.cut === null
        ? { begin, end }
        : { begin: valid.slice(0, parts.cut % (valid.length + 1)), end: parts.odd }
    })
  const repeated = fc.record({
    first: fc.oneof({ weight: 3, arbitrary: token }, { weight: 1, arbitrary: odd }),
    second: fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      { weight: 2, arbitrary: token },
      { weight: 1, arbitrary: odd },
    ),
    isInTurns: fc.boolean(),
    name: fc.constantFrom(...NAME_CHARACTERS),
    limit: fc.constantFrom('values', 'values', 'sequences', 'bytes'),
  })
  return fc.tuple(around, repeated).map(([parts, more]): Pattern => ({ ...parts, ...more }))
}

/** Characters of each part in a message. */
const SHOWN = 60

/** @throws if a step takes longer than the limit */
async function check({ read, bytes }: Reader, pattern: Pattern): Promise<void> {
  const text = textOf(pattern, bytes)
  let best = Number.POSITIVE_INFINITY
  for (let count = 0; count < MEASUREMENTS && best > MAX_MS; count += 1)
    best = Math.min(best, await longestStepMs(() => read(text)))
  if (best <= MAX_MS) return
  const parts = [pattern.begin.slice(-SHOWN), pattern.first.slice(0, SHOWN), pattern.second.slice(0, SHOWN)]
  throw new Error(
    `${text.length} characters of ${JSON.stringify(parts)} took ${best} ms of CPU time in one go`,
  )
}

/** The longest of a computation and those that follow it, in CPU time of this thread, which other processes do not change. */
async function longestStepMs(step: () => unknown): Promise<number> {
  const began = process.threadCpuUsage()
  let next: unknown
  try {
    next = await step()
  } catch {
    // The reader refuses the text.
  }
  const { user, system } = process.threadCpuUsage(began)
  const ms = (user + system) / 1000
  return typeof next === 'function' ? Math.max(ms, await longestStepMs(() => next())) : ms
}

/** Characters of a number of a repetition. */
const NUMBER_CHARACTERS = 6

function textOf(pattern: Pattern, bytes: number): string {
  const name = 'n'.repeat(Math.min(pattern.name, bytes / 4))
  const named = (part: string) => part.replaceAll('¶', () => name)
  const [begin, first, second, end] = [pattern.begin, pattern.first, pattern.second, pattern.end].map(
    named,
  ) as [string, string, string, string]
  const both = first + second
  const length = both.length + NUMBER_CHARACTERS * (both.split('¤').length - 1)
  const room = bytes - begin.length - end.length
  const byLength = Math.floor(Math.max(0, room) / Math.max(1, length))
  const times = Math.min(byLength, allowed(`${begin}${both}`, both, pattern.limit))
  if (pattern.isInTurns) return begin + repeated(both, times) + end
  return begin + repeated(first, times) + repeated(second, times) + end
}

/** Slightly less than what the parsers of JSON and XML accept. */
const JSON_VALUES = 524_000
const JSON_SEQUENCES = 19_900
const XML_MARKS = 39_900

function allowed(text: string, part: string, limit: Pattern['limit']): number {
  if (limit === 'bytes') return Number.POSITIVE_INFINITY
  const isXml = text.trimStart().startsWith('<')
  const marks = part.match(isXml ? /[<=&]|\s\S/g : /[{[,:]/g)?.length ?? 1
  return Math.floor((isXml ? XML_MARKS : limit === 'values' ? JSON_VALUES : JSON_SEQUENCES) / marks)
}

function repeated(part: string, times: number): string {
  if (!part.includes('¤')) return part.repeat(times)
  return Array.from({ length: times }, (_, index) => part.replaceAll('¤', String(index))).join('')
}
