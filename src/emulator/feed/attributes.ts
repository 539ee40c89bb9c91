import { ATTRIBUTES, type Attribute, type AttributeName, TRANSACTION_ERRORS } from '../../catalogue.ts'
import {
  type Amounts,
  amountOf,
  createAmounts,
  failedIn,
  isRate,
  RATES,
  succeededIn,
  transactionsIn,
} from '../model/activity.ts'
import { FREE_WITH_RESERVE, GAUGES } from '../model/gauges.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../model/model.ts'
import { keyOf, mix, sum } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import { ERROR_CODES, ERROR_TYPES, type ErrorType } from '../model/traffic.ts'
import type { Member } from '../protocol/format.ts'
import { attributesOf, type Profile } from '../protocol/profiles.ts'
import { type FeedRequest, includesCategory } from './query.ts'

/** The values of a moment, or the history. */
type ValueForm = 'current' | 'historical'

/** What has attributes: a node, a pool or the system. Times in epoch seconds. */
export interface Subject {
  readonly key: number
  readonly joinedAt: number
  readonly value: (name: AttributeName, t: number, form: ValueForm) => number
  /** Amounts of the interval that ends at a time: five minutes, and the requested interval in the history. */
  readonly amounts: Readonly<Record<ValueForm, (t: number) => Amounts>>
}

/** Values of moments that are not added up: several nodes have their mean. */
const MEANS = new Set(ATTRIBUTES.filter(({ unit }) => unit === 'Percent').map(({ name }) => name))

export function subjectOf(request: FeedRequest, key: number, nodes: readonly Node[]): Subject {
  const { model, profile, query } = request
  const intervals = { current: STATISTICS_INTERVAL_SECONDS, historical: query.range.interval }
  const amounts = {
    current: createAmounts(model, nodes, intervals.current),
    historical: createAmounts(model, nodes, intervals.historical),
  }
  const value: Subject['value'] = (name, t, form) => {
    if (isRate(name)) return RATES[name](amounts[form](t), intervals[form], nodes)
    const withReserve = form === 'historical' && profile !== 'documented'
    const gauge = (withReserve ? FREE_WITH_RESERVE[name] : undefined) ?? GAUGES[name]
    const total = sum(nodes.map((node) => gauge(model.stateOf(node, t))))
    return MEANS.has(name) ? total / nodes.length : total
  }
  return { key, joinedAt: Math.min(...nodes.map(({ joinedAt }) => joinedAt)), value, amounts }
}

/** The attributes of a profile, one member by one, so that a long history is never in memory as a whole. */
export function* attributeMembers(
  request: FeedRequest,
  subject: Subject,
  isServed: (attribute: Attribute) => boolean = () => true,
): Generator<Member> {
  const { query, profile, settings, now } = request
  for (const attribute of attributesOf(profile)) {
    const { name, tag, currentOnly, category } = attribute
    if (!includesCategory(query, category) || !isServed(attribute)) continue
    const form: SnapshotForm = { profile, tag, key: mix(subject.key, keyOf(name)) }
    if (query.current)
      yield [currentName(profile, name), servedCurrent(form, currentSnapshots(now, subject, attribute))]
    if (!query.historical || currentOnly) continue
    const series =
      name === settings['no-history']
        ? [{ t: now, value: 0 }]
        : servedTimes(request, subject.joinedAt).map((t) => ({
            t,
            value: subject.value(name, t, 'historical'),
          }))
    yield [name, servedSeries(form, series)]
    yield [`${name}Summary`, servedSummary(form, series)]
  }
}

/** Real systems write the level last: `diskSpaceFreeCurrentL1`; by the rule of the API document it is `diskSpaceFreeL1Current`. */
function currentName(profile: Profile, name: string): string {
  if (profile === 'documented') return `${name}Current`
  return name.replace(/(L[12])?$/, 'Current$1')
}

/** On real systems some current values have two snapshots. Here it is one bandwidth attribute in four. */
const ATTRIBUTES_PER_SNAPSHOT_PAIR = 4

function currentSnapshots(
  now: number,
  { key, value }: Subject,
  { name, tag, category }: Attribute,
): Snapshot[] {
  const t = category === 'capacity' ? now : statisticsTime(now)
  const at = (time: number) => ({ t: time, value: value(name, time, 'current') })
  const isPair = tag === 'Bandwidth' && mix(key, keyOf(name)) % ATTRIBUTES_PER_SNAPSHOT_PAIR === 0
  return isPair ? [at(t - STATISTICS_INTERVAL_SECONDS), at(t)] : [at(t)]
}

/** The end of the last complete statistics interval. */
function statisticsTime(now: number): number {
  return now - (now % STATISTICS_INTERVAL_SECONDS)
}

/** `transactionErrors` with its current value and summaries. */
export function* errorMembers(request: FeedRequest, subject: Subject): Generator<Member> {
  const { query, now, profile } = request
  const { name, rateTag: tag } = TRANSACTION_ERRORS
  const form: SnapshotForm = { profile, tag, key: mix(subject.key, keyOf(name)) }
  const samplesAt = (times: readonly number[], valueForm: ValueForm) =>
    times.map((t) => ({ t, amounts: subject.amounts[valueForm](t) }))
  if (query.current)
    yield [`${name}Current`, servedErrors(form, samplesAt([statisticsTime(now)], 'current'), servedCurrent)]
  if (!query.historical) return
  const samples = samplesAt(servedTimes(request, subject.joinedAt), 'historical')
  yield [name, servedErrors(form, samples, servedSeries)]
  yield [`${name}Summary`, servedErrors(form, samples, servedSummary)]
}

const COUNTS = Object.fromEntries(ERROR_CODES.map((type) => [type, amountOf(type)])) as Record<
  ErrorType,
  (amounts: Amounts) => number
>

type ErrorSample = Pick<Snapshot, 't'> & { readonly amounts: Amounts }

/** Rates of all errors and by type. Totals and counts cover the whole range; summaries have none. */
function servedErrors(
  form: SnapshotForm,
  samples: readonly ErrorSample[],
  serve: (form: SnapshotForm, rates: readonly Snapshot[]) => unknown,
) {
  const isSummary = serve === servedSummary
  const count = (of: (amounts: Amounts) => number, salt: number) => {
    const total = sum(samples.map(({ amounts }) => of(amounts)))
    return notationOf(form.profile).value(total, mix(form.key, salt), 'whole')
  }
  const rateOf = (type?: ErrorType) => {
    const rates = ratesOf(samples, type)
    return rates.length === 0 ? undefined : serve(form, rates)
  }
  const types = ERROR_CODES.map((errorType, index) => ({
    errorType,
    category: ERROR_TYPES[errorType].category,
    errorCount: isSummary ? undefined : count(COUNTS[errorType], index),
    errorRate: rateOf(errorType),
  }))
  const totals = { successTotal: count(succeededIn, 101), errorTotal: count(failedIn, 102) }
  return {
    all: rateOf() ?? (isSummary ? undefined : []),
    errorSuccessTotals: isSummary ? undefined : [totals],
    types: types.filter(({ errorRate }) => errorRate !== undefined),
  }
}

/** Percent of the transactions. A type has no snapshot for an interval in which it did not occur. */
function ratesOf(samples: readonly ErrorSample[], type?: ErrorType): Snapshot[] {
  return samples.flatMap(({ t, amounts }) => {
    const failed = (type === undefined ? failedIn : COUNTS[type])(amounts)
    if (type !== undefined && failed === 0) return []
    return [{ t, value: failed === 0 ? 0 : (100 * failed) / transactionsIn(amounts) }]
  })
}

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

interface SnapshotForm {
  readonly profile: Profile
  readonly tag: string
  /** Key of node and attribute; selects the notation. */
  readonly key: number
}

/** The times of a series that are served: multiples of the interval in the range, ascending. */
function servedTimes({ query, now, settings }: FeedRequest, joinedAt: number): number[] {
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

function servedSeries(form: SnapshotForm, series: readonly Snapshot[]) {
  return series.map((snapshot) => servedSnapshot(form, snapshot))
}

/** `<Attribute>Current`, and an extreme of a summary: an object; on real systems an array of snapshots, ascending. */
export function servedCurrent(form: SnapshotForm, snapshots: readonly Snapshot[]) {
  const served = servedSeries(form, snapshots)
  return form.profile === 'documented' ? served.at(-1) : served
}

/** Minimum, maximum and mean of a series. Of equal extremes the last one is used, as on real systems. */
function servedSummary(form: SnapshotForm, series: readonly Snapshot[]) {
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
