import type { ValueTag } from '../../catalogue.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { mix } from '../world/random.ts'
import { notationOf } from './notation.ts'
import type { Range } from './query.ts'

/** A time in epoch seconds and a value in the unit of the attribute. */
export interface Snapshot {
  readonly t: number
  readonly value: number
}

/** What the text of a snapshot depends on besides the snapshot. */
export interface Writing {
  readonly profile: Profile
  readonly tag: ValueTag
  /** Whole numbers are longs in real systems, and written without a point. */
  readonly kind: 'whole' | 'fraction'
  /** Key of the node and attribute, from which notations are chosen. */
  readonly key: number
}

/** The times of a series, ascending: multiples of the interval within the range, and none in the future. */
export function timesOf({ start, end, interval }: Range, now: number, keptFrom = 0): number[] {
  const times: number[] = []
  const last = Math.min(end, now)
  for (let t = Math.ceil(Math.max(start, keptFrom) / interval) * interval; t <= last; t += interval)
    times.push(t)
  return times
}

/** JSON text of one snapshot: `{"t":1463004000,"Space":2.3e7}`. */
function writeSnapshot(writing: Writing, { t, value }: Snapshot): string {
  const notation = notationOf(writing.profile)
  const place = mix(writing.key, t)
  return `{"t":${notation.time(t, place)},"${writing.tag}":${notation.value(value, place, writing.kind)}}`
}

export function writeSeries(writing: Writing, series: readonly Snapshot[]): string {
  return `[${series.map((snapshot) => writeSnapshot(writing, snapshot)).join(',')}]`
}

/** `<Attribute>Current`: an object, or in real systems an array of snapshots, ascending. */
export function writeCurrent(writing: Writing, snapshots: readonly [Snapshot, ...Snapshot[]]): string {
  if (PROFILES[writing.profile].snapshots === 'array') return writeSeries(writing, snapshots)
  return writeSnapshot(writing, snapshots.at(-1) ?? snapshots[0])
}

/** Lowest, highest and mean of a series. Of equal extremes the last counts, as in real systems. */
export interface Summary {
  readonly min: Snapshot
  readonly max: Snapshot
  readonly average: number
}

/** Nothing where there is no snapshot to speak of. */
export function summaryOf(series: readonly Snapshot[]): Summary | undefined {
  const [first] = series
  if (first === undefined) return undefined
  let [min, max, sum] = [first, first, 0]
  for (const snapshot of series) {
    if (snapshot.value <= min.value) min = snapshot
    if (snapshot.value >= max.value) max = snapshot
    sum += snapshot.value
  }
  return { min, max, average: sum / series.length }
}

export function writeSummary(writing: Writing, { min, max, average }: Summary): string {
  const array = PROFILES[writing.profile].snapshots === 'array'
  const extreme = (snapshot: Snapshot) =>
    array ? `[${writeSnapshot(writing, snapshot)}]` : writeSnapshot(writing, snapshot)
  const mean = notationOf(writing.profile).value(average, writing.key, 'fraction')
  return `{"Min":${extreme(min)},"Max":${extreme(max)},"Avg":${mean}}`
}
