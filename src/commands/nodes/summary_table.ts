import type { Period } from '../../api/history/series.ts'
import { ATTRIBUTES, type BaseUnit, UNITS } from '../../catalogue.ts'
import { bytesText, durationText, percentText, visibleText } from '../../text.ts'
import { timeText } from '../cli/flags/times.ts'
import type { Column } from './columns.ts'
import type { SummaryRow } from './summaries.ts'
import { type TableOutput, tableText } from './table.ts'

const ABSENT = '-'
const MS_PER_SECOND = 1000

const TEXTS: Readonly<Record<BaseUnit, (value: number) => string>> = {
  bytes: bytesText,
  bytes_per_second: (value) => `${bytesText(value)}/s`,
  ratio: percentText,
  seconds: (value) => `${(value * MS_PER_SECOND).toFixed(1)} ms`,
  '': (value) => `${value.toFixed(1)}/s`,
}

const BASE_UNITS: ReadonlyMap<string, BaseUnit> = new Map(
  ATTRIBUTES.map(({ name, unit }) => [name, UNITS[unit].base]),
)

/** The summaries as a table for each node. Times are UTC. */
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
  const figure = (title: string, member: 'minimum' | 'average' | 'maximum'): Column<SummaryRow> => ({
    title,
    text: ({ attribute, [member]: value }) =>
      value === null ? ABSENT : TEXTS[BASE_UNITS.get(attribute) ?? ''](value),
    right: true,
  })
  const columns: readonly Column<SummaryRow>[] = [
    { title: 'ATTRIBUTE', text: ({ attribute }) => attribute, shrinks: true },
    figure('MIN', 'minimum'),
    figure('AVG', 'average'),
    figure('MAX', 'maximum'),
    {
      title: 'AT',
      text: ({ maximum_timestamp_seconds: at }) => (at === null ? ABSENT : dateAndTime(at)),
      right: true,
    },
  ]
  const table = tableText(columns, rows, output)
  return `${[system, pool, node].map(visibleText).join(', ')}\n${table}`
}
