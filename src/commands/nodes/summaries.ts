import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Period, Summary } from '../../api/history/history.ts'
import { ATTRIBUTES, type BaseUnit, TRANSACTION_ERRORS, UNITS } from '../../catalogue.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import type { SystemState } from '../../state/state.ts'
import { bytesText, percentText, storageText, visibleText } from '../../text.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'
import { type Column, type TableOutput, tableLines } from '../cli/output/table.ts'

/** The summary of one attribute of a node in a period, in base units. */
export type SummaryRow = Readonly<
  Record<'system' | 'pool' | 'pool_id' | 'node' | 'node_id' | 'attribute', string>
> &
  ReturnType<typeof summaryMembers>

/** The summaries of the nodes of all pools of a system, and why those of others could not be read. */
export interface Summaries {
  readonly rows: readonly SummaryRow[]
  readonly failures: readonly string[]
}

const ERRORS = `${TRANSACTION_ERRORS.name}.all`
const UNIT_OF = new Map<string, BaseUnit>([
  ...ATTRIBUTES.map(({ name, unit }) => [name, UNITS[unit].base] as const),
  [ERRORS, 'ratio'],
])

export async function readSummaries(
  { name: system, pools }: SystemState,
  client: SystemClient,
  { period, signal }: { readonly period: Period; readonly signal: AbortSignal },
): Promise<Summaries> {
  const rows: SummaryRow[] = []
  const failures: string[] = []
  for (const { ref, label: pool } of pools.values()) {
    try {
      const { nodes } = await client.history(ref.id, period, signal)
      const names = uniqueNames(nodes)
      for (const [index, { id: node_id, attributes, errors }] of nodes.entries()) {
        const place = { system, pool, pool_id: ref.id, node: names[index] ?? node_id, node_id }
        const add = (attribute: string, summary: Summary | undefined) => {
          if (summary) rows.push({ ...place, attribute, ...summaryMembers(summary) })
        }
        for (const [attribute, { summary }] of attributes) add(attribute, summary)
        add(ERRORS, errors.summary)
      }
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      failures.push(`system ${system}, pool ${pool}: ${failure.message}; ${failure.remedy}`)
    }
  }
  return { rows, failures }
}

function summaryMembers({ min, max, average }: Summary) {
  return {
    minimum: min?.value ?? null,
    minimum_timestamp_seconds: min?.t ?? null,
    average: average ?? null,
    maximum: max?.value ?? null,
    maximum_timestamp_seconds: max?.t ?? null,
  }
}

const TEXTS: Readonly<Record<BaseUnit, (value: number) => string>> = {
  bytes: storageText,
  bytes_per_second: (value) => `${bytesText(value)}/s`,
  ratio: percentText,
  seconds: (value) => `${(value * MS_PER_SECOND).toFixed(1)} ms`,
  '': (value) => `${value.toFixed(1)}/s`,
}

const ABSENT = '-'

function valueColumn(title: string, member: 'minimum' | 'average' | 'maximum'): Column<SummaryRow> {
  return {
    title,
    text: ({ attribute, [member]: value }) =>
      value === null ? ABSENT : TEXTS[UNIT_OF.get(attribute) ?? ''](value),
    right: true,
  }
}

const COLUMNS: readonly Column<SummaryRow>[] = [
  { title: 'SYSTEM', text: ({ system }) => system, shrinks: true },
  { title: 'POOL', text: ({ pool }) => visibleText(pool), shrinks: true },
  { title: 'NODE', text: ({ node }) => visibleText(node), shrinks: true },
  { title: 'ATTRIBUTE', text: ({ attribute }) => attribute, shrinks: true },
  valueColumn('MIN', 'minimum'),
  valueColumn('AVG', 'average'),
  valueColumn('MAX', 'maximum'),
  {
    title: 'TIME OF MAX',
    text: ({ maximum_timestamp_seconds: at }) => (at === null ? ABSENT : timeText(at)),
  },
]

export function summariesTable(rows: readonly SummaryRow[], output: TableOutput): string {
  return tableLines(COLUMNS, rows, output)
    .map((line) => `${line}\n`)
    .join('')
}
