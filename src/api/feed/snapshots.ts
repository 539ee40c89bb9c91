import { type PlausibleRange, type SourceUnit, TIME_RANGE } from '../../catalogue.ts'
import { isObject, type JsonObject, member } from '../parse/json.ts'
import { readNumber } from '../parse/numbers.ts'
import { ABSENT, type Read, served, unreadable } from '../parse/reads.ts'

/** A value and its time. */
export interface Snapshot {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly t: number
  /** In the unit of the source. */
  readonly value: number
  /** The unit, if it is not that of the attribute in the catalogue. */
  readonly unit?: SourceUnit
}

/**
 * Reads `<Attribute>Current`: the newest of one snapshot or an array of them.
 * If the newest is unreadable there is no value: an older value would look current.
 * Source: API document, "Snapshot and series conventions", rules 1 to 4; real systems serve arrays.
 */
export function readNewest(value: unknown, tag: string, range: PlausibleRange): Read<Snapshot> {
  if (value === undefined || value === null) return ABSENT
  const candidates: readonly unknown[] = Array.isArray(value) ? value : [value]
  let newest: { t: number; snapshot: JsonObject } | undefined
  let failure: Read<Snapshot> = ABSENT
  for (const candidate of candidates) {
    const timed = readTimed(candidate)
    if (timed.state === 'unreadable') failure = timed
    if (timed.state !== 'served') continue
    if (newest === undefined || timed.value.t >= newest.t) newest = timed.value
  }
  if (newest === undefined) return failure
  const { t, snapshot } = newest
  const read = readNumber(valueIn(snapshot, tag), range)
  return read.state === 'served' ? served({ t, value: read.value }) : read
}

/** A candidate with its time. `N/A` and null are absent; a snapshot without a readable time is unreadable. */
export function readTimed(candidate: unknown): Read<{ t: number; snapshot: JsonObject }> {
  if (!isObject(candidate))
    return readNumber(candidate).state === 'absent' ? ABSENT : unreadable('shape', candidate)
  const t = timeIn(candidate)
  return t === undefined ? unreadable('time', candidate) : served({ t, snapshot: candidate })
}

/** The time of a snapshot: member `t`, possibly with blanks around the name. */
function timeIn(snapshot: JsonObject): number | undefined {
  const key = Object.hasOwn(snapshot, 't') ? 't' : Object.keys(snapshot).find((name) => name.trim() === 't')
  const read = key === undefined ? ABSENT : readNumber(snapshot[key], TIME_RANGE)
  return read.state === 'served' ? read.value : undefined
}

/** Returned when no single member has the value. A symbol, because JSON cannot contain it. */
const AMBIGUOUS = Symbol('no single value member')

/** The one member that is not `t`. If there are several, the member with the documented tag. */
export function valueIn(snapshot: JsonObject, tag: string): unknown {
  if (Object.hasOwn(snapshot, tag)) return snapshot[tag]
  const names = Object.keys(snapshot).filter((name) => name.trim() !== 't')
  const [name] = names.length > 1 ? names.filter((candidate) => candidate.trim() === tag) : names
  return name === undefined ? AMBIGUOUS : member(snapshot, name)
}
