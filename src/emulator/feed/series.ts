import { SECONDS_PER_DAY } from '../../time_units.ts'
import { mix } from '../model/random.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import type { Settings } from '../protocol/settings.ts'
import { notationOf } from './notation.ts'
import type { Range } from './query.ts'

/** A time in epoch seconds and a value in the unit of the attribute. */
export interface Snapshot {
  readonly t: number
  readonly value: number
}

/** How snapshots of one attribute are written. */
export interface WriteOptions {
  readonly profile: Profile
  readonly tag: string
  /** On real systems whole numbers are longs, written without a decimal point. */
  readonly kind: 'whole' | 'fraction'
  /** Key of node and attribute; selects the notation. */
  readonly key: number
}

/** The times of a series that are served at `now`: multiples of the interval in the range, ascending. */
export function servedTimes(range: Range, now: number, settings: Settings, joinedAt: number): number[] {
  const { start, end, interval } = range
  const times: number[] = []
  const last = Math.min(end, now - settings.lateSeconds)
  for (let t = Math.ceil(Math.max(start, joinedAt) / interval) * interval; t <= last; t += interval)
    if (t % SECONDS_PER_DAY >= settings.gapSeconds) times.push(t)
  return times
}

export function servedOrder(series: readonly Snapshot[], settings: Settings): readonly Snapshot[] {
  return settings.isUnordered ? [...series.toReversed(), ...series.slice(0, 1)] : series
}

/** JSON text of one snapshot: `{"t":1463004000,"Space":2.3e7}`. */
function writeSnapshot(options: WriteOptions, { t, value }: Snapshot): string {
  const notation = notationOf(options.profile)
  const key = mix(options.key, t)
  return `{"t":${notation.time(t, key)},"${options.tag}":${notation.value(value, key, options.kind)}}`
}

export function writeSeries(options: WriteOptions, series: readonly Snapshot[]): string {
  return `[${series.map((snapshot) => writeSnapshot(options, snapshot)).join(',')}]`
}

/** `<Attribute>Current`: an object; on real systems an array of snapshots, ascending. */
export function writeCurrent(options: WriteOptions, snapshots: readonly [Snapshot, ...Snapshot[]]): string {
  if (PROFILES[options.profile].snapshots === 'array') return writeSeries(options, snapshots)
  return writeSnapshot(options, snapshots.at(-1) ?? snapshots[0])
}

export type Summary = NonNullable<ReturnType<typeof summaryOf>>

/** Minimum, maximum and mean of a series. Of equal extremes the last one is used, as on real systems. */
export function summaryOf(series: readonly Snapshot[]) {
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

export function writeSummary(options: WriteOptions, { min, max, average }: Summary): string {
  const array = PROFILES[options.profile].snapshots === 'array'
  const extreme = (snapshot: Snapshot) =>
    array ? `[${writeSnapshot(options, snapshot)}]` : writeSnapshot(options, snapshot)
  const mean = notationOf(options.profile).value(average, options.key, 'fraction')
  return `{"Min":${extreme(min)},"Max":${extreme(max)},"Avg":${mean}}`
}
