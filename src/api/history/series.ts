import type { PlausibleRange } from '../../catalogue.ts'
import { readTimed, valueIn } from '../feed/snapshots.ts'
import { type Reject, readNumber, servedOrRejected } from '../parse/json.ts'

/** Points of one attribute, in ascending order of time, each time once. */
export interface Points {
  /** Seconds since the epoch, by the clock of the storage system. */
  readonly times: readonly number[]
  /** One for each time; in the unit of the source, unless another one is named. */
  readonly values: readonly number[]
}

/** A period in seconds since the epoch: `start` belongs to it, `end` does not. */
export interface Period {
  readonly start: number
  readonly end: number
  /** Seconds between two points. */
  readonly interval: number
}

/** What a response served, whether or not it is in the period. */
export interface Served {
  points: number
  /** Points that are further from the period than systems round times. */
  farPoints: number
  /** Least time between two points of one series, in seconds; infinite without two points. */
  step: number
}

export interface SeriesOptions {
  /** The documented name of the value member. */
  readonly tag: string
  /** Plausible values in the unit. */
  readonly range: PlausibleRange
  readonly period: Period
  /** Time of the response by the clock of the storage system, in seconds since the epoch. */
  readonly respondedAt: number
  readonly reject: Reject
  readonly served: Served
}

/**
 * Reads a historical attribute: an array of snapshots in any order, or a single snapshot.
 * Absent values give no point. Of two points with the same time, the last one is used.
 * Source: API document, "Snapshot and series conventions", rule 3.
 * @returns undefined without points in the period
 */
export function readSeries(value: unknown, options: SeriesOptions): Points | undefined {
  if (value === undefined || value === null) return undefined
  const { tag, range, reject } = options
  const snapshots: readonly unknown[] = Array.isArray(value) ? value : [value]
  const byTime = new Map<number, number>()
  for (const candidate of snapshots) {
    const timed = servedOrRejected(readTimed(candidate), reject)
    if (timed === undefined) continue
    const { t, snapshot } = timed
    const number = servedOrRejected(readNumber(valueIn(snapshot, tag), range), reject)
    if (number === undefined) continue
    if (number !== (byTime.get(t) ?? number)) reject('duplicate', String(t))
    byTime.set(t, number)
  }
  const points = [...byTime].sort(([a], [b]) => a - b)
  const [times, values] = [points.map(([t]) => t), points.map(([, value]) => value)]
  if (isPlaceholder(times, values, options.respondedAt)) return undefined
  noteServed(times, options)
  return within(times, values, options.period)
}

/** Systems may round times to their own step, which is an hour by default. */
const COARSEST_STEP_SECONDS = 3600

function noteServed(times: readonly number[], { served, period }: SeriesOptions): void {
  const tolerance = 2 * Math.max(period.interval, COARSEST_STEP_SECONDS)
  const isFar = (t: number) => t < period.start - tolerance || t >= period.end + tolerance
  served.points += times.length
  served.farPoints += times.filter(isFar).length
  for (let index = 1; index < times.length; index += 1) {
    served.step = Math.min(served.step, (times[index] ?? 0) - (times[index - 1] ?? 0))
  }
}

/** The time of a placeholder is that at which the system began the response. */
const PLACEHOLDER_SECONDS = 60

/** Real systems serve a single 0 with the time of the response for an attribute without stored history. */
function isPlaceholder(times: readonly number[], values: readonly number[], respondedAt: number): boolean {
  const [t = 0] = times
  return times.length === 1 && values[0] === 0 && Math.abs(t - respondedAt) <= PLACEHOLDER_SECONDS
}

function within(times: number[], values: number[], { start, end }: Period): Points | undefined {
  const from = times.findIndex((t) => t >= start && t < end)
  if (from === -1) return undefined
  const to = times.findLastIndex((t) => t < end) + 1
  return { times: times.slice(from, to), values: values.slice(from, to) }
}
