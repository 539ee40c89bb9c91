import { mix } from '../model/random.ts'
import type { Profile } from '../protocol/profiles.ts'
import type { FeedRequest } from './query.ts'

/**
 * The notations of the API document, "Snapshot and series conventions": without a decimal point, with one, in
 * exponential form; each as a number or as a string. All preserve the exact value.
 */
const FORMS = [String, decimal, (value: number) => value.toExponential().replace('e+', 'e')]

declare global {
  interface JSON {
    /** A number that is written as this text (ECMAScript 2026). */
    rawJSON(text: string): object
  }
}

const DOCUMENTED = {
  value: (value: number, key: number): string | object => {
    const choice = mix(key, 1)
    const text = (FORMS[choice % FORMS.length] ?? String)(value)
    return choice & 0x1000 ? text : JSON.rawJSON(text)
  },
  time: (t: number, key: number): string | number => (mix(key, 2) & 1 ? String(t) : t),
}
/** Real systems: all values are strings; whole numbers are Java longs, fractions Java doubles. */
const STRINGS = {
  value: (value: number, _key: number, kind: 'whole' | 'fraction'): string =>
    kind === 'whole' ? String(value) : javaDouble(value),
  time: String,
}

/** The key selects the notation where a profile has several: the same key always gives the same one. */
export function notationOf(profile: Profile) {
  return profile === 'documented' ? DOCUMENTED : STRINGS
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

const SMALLEST_PLAIN_DOUBLE = 1e-3
const LARGEST_PLAIN_DOUBLE = 1e7

/** The format of Java's `Double.toString`: `0.0`, `12.5`, `1.5434643250766666E13`, `2.0E-4`. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= SMALLEST_PLAIN_DOUBLE && size < LARGEST_PLAIN_DOUBLE)) return decimal(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`
}

/** A time in epoch seconds and a value in the unit of the attribute. */
export interface Snapshot {
  readonly t: number
  readonly value: number
}

export type Snapshots = readonly [Snapshot, ...Snapshot[]]

export interface SnapshotForm {
  readonly profile: Profile
  readonly tag: string
  /** Key of node and attribute; selects the notation. */
  readonly key: number
}

/** The times of a series that are served: multiples of the interval in the range, ascending. */
export function servedTimes({ query, now, settings }: FeedRequest, joinedAt: number): number[] {
  const { start, end, interval } = query.range
  const times: number[] = []
  const last = Math.min(end, now - Number(settings['late-points'] ?? 0))
  for (let t = Math.ceil(Math.max(start, joinedAt) / interval) * interval; t <= last; t += interval)
    times.push(t)
  return times
}

/** Value tags of whole numbers: on real systems longs, written without a decimal point. */
const WHOLE_TAGS = new Set(['Space', 'Bytes', 'Capacity', 'Count'])

/** `{"t":1463004000,"Space":2.3e7}` */
function servedSnapshot({ profile, tag, key }: SnapshotForm, { t, value }: Snapshot) {
  const notation = notationOf(profile)
  const ownKey = mix(key, t)
  return {
    t: notation.time(t, ownKey),
    [tag]: notation.value(value, ownKey, WHOLE_TAGS.has(tag) ? 'whole' : 'fraction'),
  }
}

export function servedSeries(form: SnapshotForm, series: readonly Snapshot[]) {
  return series.map((snapshot) => servedSnapshot(form, snapshot))
}

/** `<Attribute>Current`, and an extreme of a summary: an object; on real systems an array of snapshots, ascending. */
export function servedCurrent(form: SnapshotForm, snapshots: Snapshots) {
  if (form.profile !== 'documented') return servedSeries(form, snapshots)
  return servedSnapshot(form, snapshots.at(-1) ?? snapshots[0])
}

/** Minimum, maximum and mean of a series. Of equal extremes the last one is used, as on real systems. */
export function servedSummary(form: SnapshotForm, series: readonly Snapshot[]) {
  const [first] = series
  if (first === undefined) return undefined
  let [min, max, sum] = [first, first, 0]
  for (const snapshot of series) {
    if (snapshot.value <= min.value) min = snapshot
    if (snapshot.value >= max.value) max = snapshot
    sum += snapshot.value
  }
  const mean = notationOf(form.profile).value(sum / series.length, form.key, 'fraction')
  return { Min: servedCurrent(form, [min]), Max: servedCurrent(form, [max]), Avg: mean }
}
