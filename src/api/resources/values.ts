import { type SourceUnit, UNITS } from '../../catalogue.ts'
import type { Column } from '../../system_catalogue.ts'
import { readNewest } from '../feed/snapshots.ts'
import { ABSENT, inRange, type Read, readNumber, readText, served, unreadable } from '../parse/json.ts'

/** A value in the unit of the source. */
export interface Value {
  readonly value: number
  /** Time of a snapshot, in seconds since the epoch. */
  readonly t?: number
}

/** Reads a member: a snapshot or a list of them, or a bare value. */
export function readValue(raw: unknown, { unit, tag }: Pick<Column, 'unit' | 'tag'>): Read<Value> {
  const read = SPECIAL[unit]
  if (read !== undefined) return bare(read(raw))
  if (typeof raw === 'object' && raw !== null) return readNewest(raw, tag, UNITS[unit])
  return bare(readNumber(raw, UNITS[unit]))
}

function bare(read: Read<number>): Read<Value> {
  return read.state === 'served' ? served({ value: read.value }) : read
}

const SPECIAL: Partial<Readonly<Record<SourceUnit, (raw: unknown) => Read<number>>>> = {
  flag: readFlag,
  time: readTime,
  GiB: (raw) => readQuota(raw, 'GiB'),
  quota: (raw) => readQuota(raw, 'quota'),
}

const FLAGS: Readonly<Record<string, number>> = { true: 1, false: 0, '1': 1, '0': 0, on: 1, off: 0 }

function readFlag(raw: unknown): Read<number> {
  const text = typeof raw === 'boolean' ? String(raw) : readText(raw)?.toLowerCase()
  if (text === undefined) return ABSENT
  const flag = Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined
  return flag === undefined ? unreadable('text', raw) : served(flag)
}

/** -1 and 0 mean that there is no quota. */
function readQuota(raw: unknown, unit: 'GiB' | 'quota'): Read<number> {
  const read = readNumber(raw, UNITS[unit])
  const isZero = read.state === 'served' && read.value === 0
  return isZero || readText(raw)?.startsWith('-') === true ? ABSENT : read
}

/** Milliseconds since the epoch are more since 2001; seconds are less until the year 33658. */
const LEAST_MS = 1e12
const MAX_TIME_CHARACTERS = 40
const AMERICAN_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4,5})$/
/** Licenses that never expire have a date in this year or later: there is no such time. */
const NEVER_MS = Date.UTC(2900, 0, 1)
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/
const ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/

/** A time in seconds or milliseconds since the epoch, in ISO 8601 (without a zone: UTC), or as MM/dd/yyyy; absent if it stands for no time, or for never. */
function readTime(raw: unknown): Read<number> {
  const text = readText(raw)
  // Zero stands for no time.
  if (text === undefined || !/[1-9]/.test(text)) return ABSENT
  const ms = text.length <= MAX_TIME_CHARACTERS ? timeMs(text) : Number.NaN
  if (ms >= NEVER_MS) return ABSENT
  return Number.isFinite(ms) ? inRange(ms / 1000, UNITS.time, raw) : unreadable('time', raw)
}

function timeMs(text: string): number {
  const number = readNumber(text)
  if (number.state === 'served') return number.value >= LEAST_MS ? number.value : number.value * 1000
  const [, month, day, year] = AMERICAN_DATE.exec(text) ?? []
  if (year !== undefined) {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
    // Date.UTC carries over: 31/12/2026, the day first, would become July 2028.
    return date.getUTCMonth() === Number(month) - 1 ? date.getTime() : Number.NaN
  }
  if (!ISO_TIME.test(text)) return Number.NaN
  const hasTime = text.includes(':')
  const iso = text.replace(' ', 'T')
  return Date.parse(!hasTime || ZONE.test(iso) ? iso : `${iso}Z`)
}
