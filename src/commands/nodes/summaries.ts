import type { HistoryReading } from '../../api/history/history.ts'
import type { NodeHistory } from '../../api/history/node_history.ts'
import type { Summary } from '../../api/history/summary.ts'
import { ATTRIBUTES, type Attribute, type SourceUnit, UNITS } from '../../catalogue.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import type { PoolRead } from './reading.ts'

/** What a system says of one attribute of a node in a period, in base units: the members of `--summary --json`. */
export interface SummaryRow {
  readonly system: string
  readonly pool: string
  readonly pool_id: string
  readonly node: string
  readonly node_id: string
  readonly attribute: string
  readonly metric: string
  readonly minimum: number | null
  readonly minimum_timestamp_seconds: number | null
  readonly average: number | null
  readonly maximum: number | null
  readonly maximum_timestamp_seconds: number | null
}

/** Descriptions of the members, for --help. */
export const SUMMARY_MEMBERS: Readonly<Partial<Record<keyof SummaryRow, string>>> = {
  attribute: 'name of the attribute in the feed',
  metric: 'name of its history, with labels; the values are in its unit',
  minimum: 'lowest value, with minimum_timestamp_seconds',
  average: 'mean of all points of the period',
  maximum: 'highest value, with maximum_timestamp_seconds',
}

/** @param pools all pools of one system, because duplicate names are replaced by ids */
export function summaryRows(system: string, pools: readonly PoolRead<HistoryReading>[]): SummaryRow[] {
  const labels = uniqueNames(pools)
  return pools.flatMap(({ id, reading }, index) => {
    const names = uniqueNames(reading.nodes)
    return reading.nodes.flatMap((node, place) => {
      const identity = { system, pool: labels[index] ?? id, pool_id: id }
      const ofNode = { ...identity, node: names[place] ?? node.id, node_id: node.id }
      return nodeSummaries(node).map((summary) => ({ ...ofNode, ...summary }))
    })
  })
}

function nodeSummaries(node: NodeHistory) {
  return ATTRIBUTES.flatMap((attribute) => {
    const summary = node.summaries.get(attribute.name)
    if (summary === undefined) return []
    const unit = node.attributes.get(attribute.name)?.unit ?? attribute.unit
    return [{ attribute: attribute.name, metric: metricText(attribute), ...summaryMembers(summary, unit) }]
  })
}

function metricText({ historyFamily, labels }: Attribute): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? historyFamily : `${historyFamily}{${pairs.join(',')}}`
}

function summaryMembers({ min, max, average }: Summary, unit: SourceUnit) {
  const { toBase } = UNITS[unit]
  return {
    minimum: min === undefined ? null : toBase(min.value),
    minimum_timestamp_seconds: min?.t ?? null,
    average: average === undefined ? null : toBase(average),
    maximum: max === undefined ? null : toBase(max.value),
    maximum_timestamp_seconds: max?.t ?? null,
  }
}
