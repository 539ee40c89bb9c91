import fc from 'fast-check'
import { describe, test } from 'vitest'
import { endsWithin, fuzz, isScript, LONGEST_CHECK_MS } from './fuzz.ts'

/** A function that reads text from outside. */
export interface Reader {
  readonly name: string
  /** Length of the longest text that it is given in bytes. */
  readonly bytes: number
  /** The same in the test suite. Default: 32 KiB. */
  readonly suiteBytes?: number
  /** Valid texts. `§` is where parts are repeated. */
  readonly texts: readonly string[]
  /** What is repeated, besides each character of one byte. */
  readonly tokens: readonly string[]
  /** What it returns or throws is not checked. */
  readonly read: (text: string) => unknown
}

/** A text of any length: two parts, each repeated for half of it, between a beginning and an end. */
interface Pattern {
  readonly begin: string
  readonly first: string
  readonly second: string
  readonly end: string
}

const DEFAULT_SUITE_BYTES = 32 * 1024
/** Factor between the two lengths that are compared. */
const FACTOR = 16
/** Growth of the time, as a multiple of linear growth. Quadratic time would grow sixteen times as much. */
const MAX_GROWTH = 3
/** Time of the compilation of code and of garbage collections. Half of it needs no comparison. */
const SLACK_MS = 40
/** The best of several counts. */
const MEASUREMENTS = 4
/** A garbage collection is shorter: no further measurement after this time. */
const MAX_MEASURING_MS = 500

const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
/** The bytes of the suite: one of each kind that a parser may know. */
const SUITE_CHARACTERS = [...'\0\t\n 0aA\x80!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~', "'"]

/** Defines the tests that the CPU time of a reader grows linearly with the length of the text, whatever it is made of. */
export function growthOfTime(reader: Reader): void {
  const bytes = isScript ? reader.bytes : Math.min(reader.bytes, reader.suiteBytes ?? DEFAULT_SUITE_BYTES)
  const check = (pattern: Pattern) => checkGrowth({ ...reader, bytes }, pattern)
  const characters = isScript ? BYTES : SUITE_CHARACTERS
  const timeout = isScript ? 3_600_000 : 120_000
  describe(`time of: ${reader.name}`, () => {
    test.each(reader.texts)('each byte and token, repeated in text %#', { timeout }, async (text) => {
      const [begin = '', end = ''] = text.split('§')
      for (const part of [...reader.tokens, ...characters])
        await endsWithin(LONGEST_CHECK_MS, () => check({ begin, first: part, second: part, end }))
    })
    fuzz('any pattern', {
      corpus: 'time',
      input: patterns(reader).map((pattern) => JSON.stringify(pattern)),
      runs: 20,
      // Each step would read texts that take long.
      endOnFailure: true,
      check: (json) => check(JSON.parse(json)),
    })
  })
}

/** Beginnings and ends of valid texts, and one or two parts. */
function patterns({ texts, tokens }: Reader): fc.Arbitrary<Pattern> {
  const text = fc.constantFrom(...texts)
  const begin = fc.tuple(text, fc.double({ min: 0, max: 1, noNaN: true })).map(([whole, share]) => {
    const [before = '', after = ''] = whole.split('§')
    const valid = before + after
    return share > 0.5 ? before : valid.slice(0, Math.floor(2 * share * valid.length))
  })
  const byte = fc.constantFrom(...BYTES)
  const token = fc.constantFrom(...tokens)
  const part = fc.oneof(
    { weight: 3, arbitrary: token },
    { weight: 1, arbitrary: byte },
    {
      weight: 2,
      arbitrary: fc.array(fc.oneof(token, byte), { minLength: 2, maxLength: 8 }).map((list) => list.join('')),
    },
    { weight: 1, arbitrary: fc.string({ minLength: 500, maxLength: 2000, unit: 'binary-ascii' }) },
  )
  const end = fc.oneof(
    fc.constant(''),
    token,
    text.map((whole) => whole.split('§')[1] ?? ''),
  )
  return fc.record({ begin, first: part, second: part, end })
}

/** Characters of each part in a message. */
const SHOWN = 60

/** @throws if the time of the longer text is more than a multiple of that of the shorter one */
async function checkGrowth({ read, bytes }: Reader, pattern: Pattern): Promise<void> {
  const long = textOf(pattern, bytes)
  let longMs = await cpuMs(read, [long], SLACK_MS / 2)
  if (longMs <= SLACK_MS / 2) return
  const short = textOf(pattern, bytes / FACTOR)
  const limitMs = MAX_GROWTH * (await cpuMs(read, Array(FACTOR).fill(short), 0)) + SLACK_MS
  if (longMs > limitMs) longMs = await cpuMs(read, [long], limitMs)
  if (longMs <= limitMs) return
  const { begin, first, second, end } = pattern
  const parts = [begin.slice(-SHOWN), first.slice(0, SHOWN), second.slice(0, SHOWN), end.slice(0, SHOWN)]
  const times = `${bytes} bytes took ${longMs} ms of CPU time, the limit is ${limitMs} ms`
  throw new Error(`begin, first part, second part, end ${JSON.stringify(parts)}: ${times}`)
}

function textOf({ begin, first, second, end }: Pattern, bytes: number): string {
  const half = Math.max(bytes - begin.length - end.length, 0) / 2
  return [begin, repeated(first, half), repeated(second, half), end].join('')
}

function repeated(part: string, characters: number): string {
  return part.repeat(Math.floor(characters / part.length))
}

/**
 * CPU time of this thread, which other processes do not change. The best of several measurements, or the first that is
 * short enough.
 */
async function cpuMs(read: Reader['read'], texts: readonly string[], enoughMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  let total = 0
  for (let count = 0; count < MEASUREMENTS && best > enoughMs && total < MAX_MEASURING_MS; count += 1) {
    const began = process.threadCpuUsage()
    for (const text of texts) await readAny(read, text)
    const { user, system } = process.threadCpuUsage(began)
    best = Math.min(best, (user + system) / 1000)
    total += (user + system) / 1000
  }
  return best
}

async function readAny(read: Reader['read'], text: string): Promise<void> {
  try {
    await read(text)
  } catch {
    // The reader refuses the text.
  }
}
