import { ApiError } from '../../api/errors/errors.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import type { HistoryReading, NodeHistory, Summary } from '../../api/history/history.ts'
import type { Period } from '../../api/history/series.ts'
import {
  ATTRIBUTES,
  type Attribute,
  type BaseUnit,
  type SourceUnit,
  TRANSACTION_ERRORS,
  UNITS,
} from '../../catalogue.ts'
import type { SystemConfig } from '../../config/config.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import { bytesText, durationText, percentText, storageText, visibleText } from '../../text.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'
import { type Column, type TableOutput, tableLines } from '../cli/output/table.ts'
import { createCommandClient, poolsOf } from '../cli/systems.ts'
import type { Identity } from './rows.ts'

/** Summary of one attribute of a node in a period, in base units: the members of `--summary --json`. */
export type SummaryRow = Identity &
  Readonly<Record<'attribute' | 'metric', string>> &
  ReturnType<typeof summaryMembers>

/** Descriptions of the members, for --help. */
export const SUMMARY_MEMBERS: Readonly<Partial<Record<keyof SummaryRow, string>>> = {
  attribute: 'name of the attribute in the dashboard API',
  metric: 'name of its history, with labels; the values are in its unit',
  minimum: 'lowest value, with minimum_timestamp_seconds',
  average: 'mean of all points of the period',
  maximum: 'highest value, with maximum_timestamp_seconds',
}

interface PoolHistory {
  readonly id: string
  readonly name: string | undefined
  readonly reading: HistoryReading
}

/** The history of each pool of a system, and the messages about those that could not be read. */
export interface SystemHistory {
  readonly system: string
  readonly pools: readonly PoolHistory[]
  readonly failures: readonly string[]
}

export async function readHistories(
  system: SystemConfig,
  period: Period,
  signal: AbortSignal,
): Promise<SystemHistory> {
  const client = createCommandClient(system)
  const pools: PoolHistory[] = []
  const failures = new Set<string>()
  const note = (failure: unknown) => {
    if (!(failure instanceof ApiError)) throw failure
    failures.add(failure.message)
  }
  try {
    const reads = (await poolsOf(system, client, signal)).map(async ({ id, name }) => {
      const reading = await client.history(id, period, signal)
      return { id, name: poolNameIn(reading) ?? name, reading }
    })
    for (const outcome of await Promise.allSettled(reads))
      if (outcome.status === 'fulfilled') pools.push(outcome.value)
      else note(outcome.reason)
  } catch (failure) {
    note(failure)
  } finally {
    await client.close()
  }
  return { system: system.name, pools, failures: [...failures] }
}

export function summaryRows({ system, pools }: SystemHistory): SummaryRow[] {
  const labels = uniqueNames(pools)
  return pools.flatMap(({ id, reading: { nodes } }, index) => {
    const names = uniqueNames(nodes)
    return nodes.flatMap((node, place) => {
      const pool = { system, pool: labels[index] ?? id, pool_id: id }
      return summariesOf(node, { ...pool, node: names[place] ?? node.id, node_id: node.id })
    })
  })
}

function summariesOf(node: NodeHistory, identity: Identity): SummaryRow[] {
  return SUMMARIZED.flatMap(({ name, metric, unitOf, summaryOf }) => {
    const summary = summaryOf(node)
    if (summary === undefined) return []
    return [{ ...identity, attribute: name, metric, ...summaryMembers(summary, unitOf(node)) }]
  })
}

/** Attributes with a history in the dashboard API, and with it a summary. */
const SUMMARIZED = [
  ...ATTRIBUTES.filter(({ currentOnly }) => !currentOnly).map((attribute) => ({
    name: attribute.name,
    metric: metricText(attribute),
    unit: attribute.unit,
    unitOf: ({ attributes }: NodeHistory) => attributes.get(attribute.name)?.unit ?? attribute.unit,
    summaryOf: ({ summaries }: NodeHistory) => summaries.get(attribute.name),
  })),
  {
    name: `${TRANSACTION_ERRORS.name}.all`,
    metric: 'sds_node_transaction_errors_ratio',
    unit: TRANSACTION_ERRORS.rateUnit,
    unitOf: () => TRANSACTION_ERRORS.rateUnit,
    summaryOf: ({ errors }: NodeHistory) => errors.summary,
  },
]

export const SUMMARIZED_NAMES: readonly string[] = SUMMARIZED.map(({ name }) => name)

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

const ABSENT = '-'

const TEXTS: Readonly<Record<BaseUnit, (value: number) => string>> = {
  bytes: storageText,
  bytes_per_second: (value) => `${bytesText(value)}/s`,
  ratio: percentText,
  seconds: (value) => `${(value * MS_PER_SECOND).toFixed(1)} ms`,
  '': (value) => `${value.toFixed(1)}/s`,
}

const BASE_UNITS: ReadonlyMap<string, BaseUnit> = new Map(
  SUMMARIZED.map(({ name, unit }) => [name, UNITS[unit].base]),
)

export function summaryText(
  rows: readonly SummaryRow[],
  { start, end, interval }: Period,
  output: TableOutput,
): string {
  const tables = [...Map.groupBy(rows, ({ system, pool_id, node_id }) => `${system} ${pool_id} ${node_id}`)]
  const period = `${timeText(start)} to ${timeText(end)}, points every ${durationText(interval)}\n`
  return [period, ...tables.map(([, ofNode]) => nodeText(ofNode, output))].join('\n')
}

/** `03-11 12:05` */
function dateAndTime(seconds: number): string {
  return timeText(seconds).slice('YYYY-'.length, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
}

function nodeText(rows: readonly SummaryRow[], output: TableOutput): string {
  const [{ system = '', pool = '', node = '' } = {}] = rows
  const valueColumn = (title: string, member: 'minimum' | 'average' | 'maximum'): Column<SummaryRow> => ({
    title,
    text: ({ attribute, [member]: value }) =>
      value === null ? ABSENT : TEXTS[BASE_UNITS.get(attribute) ?? ''](value),
    right: true,
  })
  const columns: readonly Column<SummaryRow>[] = [
    { title: 'ATTRIBUTE', text: ({ attribute }) => attribute, shrinks: true },
    valueColumn('MIN', 'minimum'),
    valueColumn('AVG', 'average'),
    valueColumn('MAX', 'maximum'),
    {
      title: 'AT',
      text: ({ maximum_timestamp_seconds: at }) => (at === null ? ABSENT : dateAndTime(at)),
      right: true,
    },
  ]
  const heading = [system, pool, node].map(visibleText).join(', ')
  return [heading, ...tableLines(columns, rows, output), ''].join('\n')
}
