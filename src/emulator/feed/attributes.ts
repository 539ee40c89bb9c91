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
import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { keyOf, mix, sum } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import { ERROR_CODES, ERROR_TYPES, type ErrorType } from '../model/traffic.ts'
import { attributesOf, type Profile } from '../protocol/profiles.ts'
import type { Member } from './list.ts'
import { type FeedRequest, includesCategory } from './query.ts'
import {
  notationOf,
  type Snapshot,
  type SnapshotForm,
  type Snapshots,
  servedCurrent,
  servedSeries,
  servedSummary,
  servedTimes,
} from './series.ts'

/** The values of a moment, or the history. */
type ValueForm = 'current' | 'historical'

/** What has attributes: a node, a pool or the system. Times in epoch seconds. */
export interface Subject {
  readonly key: number
  /** Start of its history. */
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
): Snapshots {
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

interface ErrorSample {
  readonly t: number
  readonly amounts: Amounts
}

const COUNTS = Object.fromEntries(ERROR_CODES.map((type) => [type, amountOf(type)])) as Record<
  ErrorType,
  (amounts: Amounts) => number
>

/** Rates of all errors and by type. Totals and counts cover the whole range; summaries have none. */
function servedErrors(
  form: SnapshotForm,
  samples: readonly ErrorSample[],
  serve: (form: SnapshotForm, rates: Snapshots) => unknown,
) {
  const isSummary = serve === servedSummary
  const count = (of: (amounts: Amounts) => number, salt: number) => {
    const total = sum(samples.map(({ amounts }) => of(amounts)))
    return notationOf(form.profile).value(total, mix(form.key, salt), 'whole')
  }
  const rateOf = (type?: ErrorType) => {
    const [first, ...others] = ratesOf(samples, type)
    return first && serve(form, [first, ...others])
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
