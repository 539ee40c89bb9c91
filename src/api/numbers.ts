/** Why a value of the feed was not taken: the closed list behind `sds_api_rejected_values_total{reason}`. */
export const REJECTIONS = {
  text: 'is text that is not a number in a documented notation',
  infinite: 'is not a finite number',
  negative: 'is negative',
  shape: 'does not have the documented shape',
  time: 'has no readable time',
  no_id: 'is a node without an id',
  duplicate: 'occurs twice in one answer',
  too_many: 'is beyond the number of entries that are exported',
} as const
export type Rejection = keyof typeof REJECTIONS

/** A value that was read, that is not there, or that cannot be what the document says. */
export type Read<T> =
  | { readonly state: 'served'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly rejection: Rejection; readonly text: string }

export const ABSENT = { state: 'absent' } as const

export function served<T>(value: T): Read<T> {
  return { state: 'served', value }
}

/** What a log line may quote of a foreign value. */
export const MAX_QUOTED_CHARACTERS = 64

export function unreadable(rejection: Rejection, value: unknown): Read<never> {
  return { state: 'unreadable', rejection, text: quoted(value).slice(0, MAX_QUOTED_CHARACTERS) }
}

function quoted(value: unknown): string {
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'symbol' ? (value.description ?? '') : String(value)
}

/** The notations of API document, "Snapshot and series conventions", rule 2: 23000000, 23000000.0, 2.3e7. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Reads a value that is a number or a text in one of the documented notations.
 * Null, empty text and `N/A` are absent; NaN, infinities, negative, hexadecimal and other text are unreadable.
 */
export function readNumber(value: unknown): Read<number> {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'number') return inRange(value, value)
  if (typeof value !== 'string') return unreadable('shape', value)
  const text = value.trim()
  if (text === '' || text === 'N/A') return ABSENT
  return NUMBER.test(text) ? inRange(Number(text), text) : unreadable('text', text)
}

function inRange(number: number, source: unknown): Read<number> {
  if (!Number.isFinite(number)) return unreadable('infinite', source)
  if (number < 0) return unreadable('negative', source)
  // Adding zero turns -0 into 0, which would print as "-0" in some clients.
  return served(number + 0)
}

/**
 * A text, trimmed; numbers count as their digits. Null, empty and everything else are absent. Half a surrogate pair
 * becomes U+FFFD here, at the door, since two texts that differ in nothing else would become equal label values later.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim().toWellFormed()
  return text === '' ? undefined : text
}

/** A JSON object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of a foreign object; never something inherited, whatever the key is called. */
export function member(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
