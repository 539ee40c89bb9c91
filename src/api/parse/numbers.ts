import { ABSENT, type Read, served, unreadable } from './reads.ts'

/** The notations of API document, "Snapshot and series conventions", rule 2: 23000000, 23000000.0, 2.3e7. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** No number of the API is longer; matching takes memory for each digit. */
const MAX_NUMBER_CHARACTERS = 400

/**
 * Reads a number, or a text in one of the documented notations.
 * Null, empty text and `N/A` are absent; NaN, infinite, negative and hexadecimal values and other text are unreadable.
 */
export function readNumber(value: unknown): Read<number> {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'number') return inRange(value, value)
  if (typeof value !== 'string') return unreadable('shape', value)
  const text = value.trim()
  if (text === '' || text === 'N/A') return ABSENT
  return text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text)
    ? inRange(Number(text), text)
    : unreadable('text', text)
}

/** Larger values would not be finite in the unit of their metric: 10^6 (megabytes) is the largest conversion factor. */
const LARGEST = Number.MAX_VALUE / 1e6

function inRange(number: number, source: unknown): Read<number> {
  if (!(Math.abs(number) <= LARGEST)) return unreadable('infinite', source)
  if (number < 0) return unreadable('negative', source)
  // Adding zero turns -0 into 0: some clients print -0 as "-0".
  return served(number + 0)
}
