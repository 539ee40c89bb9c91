import type { PlausibleRange } from '../../catalogue.ts'
import { ABSENT, type Read, served, unreadable } from './reads.ts'

/** The notations of API document, "Snapshot and series conventions", rule 2: 23000000, 23000000.0, 2.3e7. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** No number of the API is longer; matching takes memory for each digit. */
const MAX_NUMBER_CHARACTERS = 400

/**
 * Reads a number, or a text in one of the documented notations.
 * Null, empty text, `N/A`, and -1 for a count are absent; NaN, infinite, negative and hexadecimal values and other text are unreadable.
 * @param range numbers outside of it are unreadable, too
 */
export function readNumber(value: unknown, range: PlausibleRange = ANY): Read<number> {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'number') return inRange(value, range, value)
  if (typeof value !== 'string') return unreadable('shape', value)
  const plain = plainNumber(value)
  if (plain !== undefined && isPlausible(plain, range)) return served(plain)
  const text = value.trim()
  if (text === '' || text === 'N/A') return ABSENT
  return text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text)
    ? inRange(Number(text), range, text)
    : unreadable('text', text)
}

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** The length of every number that Java or JavaScript writes is below this one. */
const MAX_PLAIN_CHARACTERS = 30

/**
 * Reads the notations of nearly all numbers of real systems, in a tenth of the time of {@link NUMBER}; undefined or NaN for
 * all others. Notations that only JavaScript has, such as 0x1F, have a letter as second character.
 */
function plainNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  if (text.length > MAX_PLAIN_CHARACTERS || !(first >= DIGIT_0 && first <= DIGIT_9)) return undefined
  return first === DIGIT_0 && text.charCodeAt(1) > DIGIT_9 ? undefined : Number(text)
}

const ANY: PlausibleRange = { max: Number.MAX_VALUE }

/** A number, if it is plausible. @param source quoted if it is not */
export function inRange(number: number, range: PlausibleRange, source: unknown = number): Read<number> {
  if (!Number.isFinite(number)) return unreadable('infinite', source)
  // Systems write -1 for a count that they do not know.
  if (number === -1 && range.isWhole === true) return ABSENT
  if (number < 0) return unreadable('negative', source)
  if (!isPlausible(number, range)) return unreadable('range', source)
  // Adding zero turns -0 into 0: some clients print -0 as "-0".
  return served(number + 0)
}

export function isPlausible(number: number, { min = 0, max, isWhole }: PlausibleRange): boolean {
  return number >= min && number <= max && (isWhole !== true || Number.isInteger(number))
}
