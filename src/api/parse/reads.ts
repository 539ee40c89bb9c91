import { shortened } from '../../text.ts'

/** Why a value of the feed was rejected: the values of `sds_api_rejected_values_total{reason}`. */
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
