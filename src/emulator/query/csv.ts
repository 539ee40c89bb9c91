import type { QueryResult } from './evaluate.ts'
import { instantText } from './flux/time.ts'
import { timeTexts } from './json.ts'
import { columnNames, type PointColumn, type Table } from './tables.ts'

const LINE_END = '\r\n'

/** The result as annotated CSV. A block of annotations begins wherever columns or types change. */
export function* csvOf(result: QueryResult): Generator<string> {
  const timeText = timeTexts()
  let block: string | undefined
  for (const [index, table] of result.tables.entries()) {
    const names = columnNames(table.columns)
    const key = [table.type, ...names].join('\u0000')
    if (key !== block) yield `${block === undefined ? '' : LINE_END}${annotations(result, table, names)}`
    block = key
    const tags = names.map((name) => quoted(table.columns[name] ?? ''))
    for (const { time, value } of table.points) {
      const cells: Record<PointColumn, string> = {
        _start: instantText(result.start),
        _stop: instantText(result.stop),
        _time: timeText(time),
        _value: value,
      }
      yield line(['', '', String(index), ...result.pointColumns.map((name) => cells[name]), ...tags])
    }
  }
  yield LINE_END
}

/** The three lines of annotations, and the line of column names. */
function annotations({ pointColumns }: QueryResult, { type }: Table, names: readonly string[]): string {
  const typeOf = (name: PointColumn) => (name === '_value' ? type : 'dateTime:RFC3339')
  const isGrouped = (name: PointColumn) => String(name === '_start' || name === '_stop')
  return [
    line(['#datatype', 'string', 'long', ...pointColumns.map(typeOf), ...names.map(() => 'string')]),
    line(['#group', 'false', 'false', ...pointColumns.map(isGrouped), ...names.map(() => 'true')]),
    line(['#default', '_result', ...Array(1 + pointColumns.length + names.length).fill('')]),
    line(['', 'result', 'table', ...pointColumns, ...names.map(quoted)]),
  ].join('')
}

function line(cells: readonly string[]): string {
  return `${cells.join(',')}${LINE_END}`
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
