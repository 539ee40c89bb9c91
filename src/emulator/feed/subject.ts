import { ATTRIBUTES, type AttributeName, type SourceUnit } from '../../catalogue.ts'
import { type Amounts, createAmounts, isRate, RATES } from '../model/activity.ts'
import { FREE_WITH_RESERVE, GAUGES } from '../model/attribute_values.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { sum } from '../model/random.ts'
import type { Node } from '../model/topology.ts'
import { PROFILES } from '../protocol/profiles.ts'
import type { FeedRequest } from './query.ts'

/** The values of a moment, or the history. */
export type ValueForm = 'current' | 'historical'

/** What has attributes: a node, a pool or the system. Times in epoch seconds. */
export interface Subject {
  readonly key: number
  /** Start of its history. */
  readonly joinedAt: number
  readonly value: (name: AttributeName, t: number, form: ValueForm) => number
  /** Amounts of the interval that ends at a time: five minutes, and the requested interval in the history. */
  readonly amounts: Readonly<Record<ValueForm, (t: number) => Amounts>>
}

/** Units of moments that are not added up: several nodes have their mean. */
const MEANS: readonly SourceUnit[] = ['Percent']
const UNIT_OF = new Map(ATTRIBUTES.map(({ name, unit }) => [name, unit]))

export function subjectOf(request: FeedRequest, key: number, nodes: readonly Node[]): Subject {
  const { model, profile, query } = request
  const intervals = { current: STATISTICS_INTERVAL_SECONDS, historical: query.range.interval }
  const amounts = {
    current: createAmounts(model, nodes, intervals.current),
    historical: createAmounts(model, nodes, intervals.historical),
  }
  const value: Subject['value'] = (name, t, form) => {
    if (isRate(name)) return RATES[name](amounts[form](t), intervals[form], nodes)
    const withReserve = form === 'historical' && PROFILES[profile].reserveInHistory
    const gauge = (withReserve ? FREE_WITH_RESERVE[name] : undefined) ?? GAUGES[name]
    const total = sum(nodes.map((node) => gauge(model.stateOf(node, t))))
    return MEANS.includes(UNIT_OF.get(name) ?? 'count') ? total / nodes.length : total
  }
  return { key, joinedAt: Math.min(...nodes.map(({ joinedAt }) => joinedAt)), value, amounts }
}
