import { TIME_RANGE } from '../../../catalogue.ts'
import { isPlausible } from '../../parse/numbers.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/

/** Reads a time in seconds since the epoch; undefined if it is unreadable. */
export type ReadTime = (value: unknown) => number | undefined

/**
 * Creates a reader of RFC 3339 times with up to nine decimals. Most rows of an answer repeat a few times, so results
 * are remembered. A time without a zone is UTC: an example of the administration guide lacks the `Z`.
 */
export function timeReader(): ReadTime {
  const known = new Map<string, number | undefined>()
  let last: { readonly text: string; readonly seconds: number | undefined } | undefined
  return (value) => {
    // Compared with the row before, because a text of the map must be hashed.
    if (last !== undefined && value === last.text) return last.seconds
    if (typeof value !== 'string') return undefined
    const seconds = known.has(value) ? known.get(value) : parseTime(value)
    known.set(value, seconds)
    last = { text: value, seconds }
    return seconds
  }
}

function parseTime(text: string): number | undefined {
  const match = TIME.exec(text.trim())
  if (match === null) return undefined
  const ms = Date.parse(match[2] === undefined ? `${match[0]}Z` : match[0])
  return isPlausible(ms / 1000, TIME_RANGE) ? ms / 1000 : undefined
}
