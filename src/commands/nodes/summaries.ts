import type { HistoryReading } from '../../api/history/history.ts'
import type { NodeHistory } from '../../api/history/node_history.ts'
import type { Summary } from '../../api/history/summary.ts'
import { ATTRIBUTES, type Attribute, type SourceUnit, UNITS } from '../../catalogue.ts'
import { type Identity, identified, type SystemRead } from './reading.ts'

/** What a system says of one attribute of a node in a period, in base units: the members of `--summary --json`. */
export type SummaryRow = Identity &
  Readonly<Record<'attribute' | 'metric', string>> &
  ReturnType<typeof summaryMembers>

/** Descriptions of the members, for --help. */
export const SUMMARY_MEMBERS: Readonly<Partial<Record<keyof SummaryRow, string>>> = {
  attribute: 'name of the attribute in the feed',
  metric: 'name of its history, with labels; the values are in its unit',
  minimum: 'lowest value, with minimum_timestamp_seconds',
  average: 'mean of all points of the period',
  maximum: 'highest value, with maximum_timestamp_seconds',
}

/** The summaries of the nodes of one system. */
export function summaryRows(read: SystemRead<HistoryReading>): SummaryRow[] {
  return identified(read, (node: NodeHistory) =>
    ATTRIBUTES.flatMap((attribute) => {
      const summary = node.summaries.get(attribute.name)
      if (summary === undefined) return []
      const unit = node.attributes.get(attribute.name)?.unit ?? attribute.unit
      return [{ attribute: attribute.name, metric: metricText(attribute), ...summaryMembers(summary, unit) }]
    }),
  )
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
