import type { PlausibleRange } from '../../catalogue.ts'
import { shortened } from '../../text.ts'

/** Why a value was rejected: the values of `sds_api_rejected_values_total{reason}`. */
export const REJECTIONS = {
  text: 'is text that is not a number in a documented notation',
  infinite: 'is not a finite number',
  negative: 'is negative',
  range: 'is not plausible for its unit',
  shape: 'does not have the documented shape',
  time: 'has no readable time',
  no_id: 'is an entry without a usable id or name',
  duplicate: 'occurs twice in one response',
  too_many: 'is beyond the number of entries that are exported',
} as const
export type Rejection = keyof typeof REJECTIONS

/** The result of reading a value. Unreadable: not as documented. */
export type Read<T> =
  | { readonly state: 'served'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly rejection: Rejection; readonly text: string }

/** A value that is not as documented. */
export type Unreadable = Extract<Read<never>, { readonly state: 'unreadable' }>

export const ABSENT = { state: 'absent' } as const

export function served<T>(value: T): Read<T> {
  return { state: 'served', value }
}

/** Called for each rejected value; `times` is the number of values of one call (default 1). */
export type Reject = (rejection: Rejection, text: string, times?: number) => void

export function servedOrRejected<T>(read: Read<T>, reject: Reject): T | undefined {
  if (read.state === 'unreadable') reject(read.rejection, read.text)
  return read.state === 'served' ? read.value : undefined
}

/** Maximum length of a rejected value, and of the id of its node, in a log line. */
export const MAX_REJECTED_CHARACTERS = 64

export function unreadable(rejection: Rejection, value: unknown): Unreadable {
  return { state: 'unreadable', rejection, text: shortened(quoted(value), MAX_REJECTED_CHARACTERS) }
}

function quoted(value: unknown): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'symbol' ? (value.description ?? '') : String(value)
}

/** The rejected values of one response with the same attribute and reason. */
export interface RejectedValue {
  readonly attribute: string
  readonly reason: Rejection
  /** Node and text of the first of them, for the log. */
  readonly node: string
  readonly text: string
  readonly times: number
}

export type RejectedValues = ReturnType<typeof createRejectedValues>

/** Counts by attribute and reason, so that memory does not grow with the number of rejected values. */
export function createRejectedValues() {
  const byKind = new Map<string, RejectedValue>()
  let count = 0
  return {
    add(value: Omit<RejectedValue, 'times'>, times: number = 1): void {
      count += times
      const kind = `${value.attribute} ${value.reason}`
      const first = byKind.get(kind) ?? { ...value, times: 0 }
      byKind.set(kind, { ...first, times: first.times + times })
    },
    count: (): number => count,
    list: (): RejectedValue[] => [...byKind.values()],
  }
}

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
