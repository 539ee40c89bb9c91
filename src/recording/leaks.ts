import { bytesOf, percentDecoded } from '../api/http/credentials.ts'
import {
  FIELDS,
  KINDS,
  MEASUREMENT_NAMES,
  PATH_WORDS,
  PHRASES,
  SERVICE_NAMES,
  URN_WORDS,
  WORDS,
} from './words.ts'

/** A text that must not be in a recording. */
export interface ForbiddenText {
  readonly text: string
  /** A description of the text, such as `the password`. */
  readonly what: string
}

/** Shorter texts occur by chance. */
const MIN_CHARACTERS = 4
/** Shorter texts count as whole words only: `data` is not meant by `metadata`. */
const MIN_PART_CHARACTERS = 8
/** A longer text is found by its beginning. */
const MAX_WORD_BYTES = 64
/** Numbers and times. They stay, so a name of digits may be among them. */
const NUMERIC = /^\s*[+-]?\d*(\.\d*)?(e[+-]?\d+)?\s*$|^\d{4}-\d\d-\d\dT[\d:.]+Z?$/i
const WORD_BYTE = /[\dA-Za-z\u0080-\u00ff]/

/**
 * The forbidden texts that lines of a recording have: plain, percent-encoded, or in base64.
 * Texts of the product are not searched, and neither are numbers.
 * @param isStandIn whether a text was made for the recording
 */
export function findLeaks(
  lines: readonly string[],
  forbidden: readonly ForbiddenText[],
  isStandIn: (text: string) => boolean,
): ForbiddenText[] {
  const isOfProduct = vocabulary()
  const searched = forbidden.filter(
    ({ text }) =>
      text.length >= MIN_CHARACTERS && !NUMERIC.test(text) && !isStandIn(text) && !isOfProduct(text),
  )
  const words = searched.map(({ text }) => bytesOf(text).slice(0, MAX_WORD_BYTES))
  const indices = Map.groupBy(words.keys(), (index) => words[index] ?? '')
  const found = new Set<number>()
  for (const source of sourcesOf(remainingText(lines, isStandIn)))
    for (const word of wordsIn(source, new Set(indices.keys())))
      for (const index of indices.get(word) ?? []) found.add(index)
  return searched.filter((_, index) => found.has(index))
}

/** At each place with the beginning of a word, all lengths of words are tried. */
function* wordsIn(source: string, words: ReadonlySet<string>): Generator<string> {
  const beginnings = new Set([...words].map((word) => word.slice(0, MIN_CHARACTERS)))
  const lengths = new Set([...words].map(({ length }) => length))
  for (let from = 0; from < source.length; from += 1) {
    if (!beginnings.has(source.slice(from, from + MIN_CHARACTERS))) continue
    for (const length of lengths) {
      const word = source.slice(from, from + length)
      if (words.has(word) && isWhole(source, from, from + word.length)) yield word
    }
  }
}

function isWhole(source: string, from: number, to: number): boolean {
  if (to - from >= MIN_PART_CHARACTERS) return true
  return !WORD_BYTE.test(source[from - 1] ?? '') && !WORD_BYTE.test(source[to] ?? '')
}

/** Decides whether a text is part of the names and words that recordings have anyway. */
function vocabulary(): (text: string) => boolean {
  const sets = [KINDS.keys(), WORDS, FIELDS, MEASUREMENT_NAMES, SERVICE_NAMES, PATH_WORDS, URN_WORDS]
  const all = [...sets.flatMap((set) => [...set]), PHRASES.source].join('\n')
  const whole = new Set([...all.split(/[^\dA-Za-z]+/), ...all.split('\n')])
  return (text) => whole.has(text) || (text.length >= MIN_PART_CHARACTERS && all.includes(text))
}

const STAND_INS =
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|mail-\d+@example\.net|[a-z-]{1,24}-\d+(?:\.example\.net)?|198\.1[89]\.\d+\.\d+|2001:db8::[\da-f]+/gi

/** The names and texts of the lines, each once, without numbers and stand-ins: few, because all else is replaced. */
function remainingText(lines: readonly string[], isStandIn: (text: string) => boolean): string {
  const texts = new Set(lines.flatMap((line) => [...textsIn(JSON.parse(line))]))
  return [...texts]
    .map((text) => text.replaceAll(STAND_INS, (one) => (isStandIn(one) ? '\n' : one)))
    .join('\n')
}

/** The names of members of a value, and its texts except numbers and times. */
function textsIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string' && !NUMERIC.test(value)) found.add(value)
  if (typeof value !== 'object' || value === null) return found
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) found.add(name)
    textsIn(inner, found)
  }
  return found
}

const BASE64_RUN = /[\w+/-]{4,}={0,2}/g
/** A text may begin at any of them in the encoding of a longer text. */
const ALIGNMENTS = [0, 1, 2, 3]

function* sourcesOf(text: string): Generator<string> {
  yield bytesOf(text)
  yield percentDecoded(text)
  const runs = [...text.matchAll(BASE64_RUN)].map(([run]) => run)
  for (const start of ALIGNMENTS)
    yield runs.map((run) => Buffer.from(run.slice(start), 'base64').toString('latin1')).join('\n')
}
