import { styleText } from 'node:util'
import { cells } from '../cli/output/width.ts'
import { COLUMNS, type Column } from './columns.ts'
import type { NodeRow } from './rows.ts'

export interface TableOutput {
  /** Width of the terminal in cells; undefined: unlimited. */
  readonly width: number | undefined
  /** The stream whose support for colours is used; undefined: no colours. */
  readonly stream?: NodeJS.WritableStream
}

/**
 * The rows as a table with a header line. If it is wider than the terminal, the system and the pool become headings, then
 * the end of the names that all nodes share is removed, then columns are left out, and at last names are cut at their end.
 */
export function nodesTable(rows: readonly NodeRow[], output: TableOutput): string {
  const columns = COLUMNS.filter(({ optional, text }) => !optional || rows.some((row) => text(row) !== ''))
  if (fits(columns, rows, output.width)) return tableText(columns, rows, output)
  const withoutHeadings = columns.filter(({ heading }) => heading !== true)
  return groupedText(withoutHeadings, rows, output)
}

const GAP = '  '

function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ title, text }) =>
    rows.reduce((widest, row) => Math.max(widest, cells(text(row))), cells(title)),
  )
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((a, b) => a + b, 0) + GAP.length * (widths.length - 1)
}

function fits(columns: readonly Column[], rows: readonly NodeRow[], width: number | undefined): boolean {
  return width === undefined || totalOf(widthsOf(columns, rows)) <= width
}

/** Groups of one pool each, in the order of their first rows. The columns of all groups are aligned. */
function groupedText(columns: readonly Column[], rows: readonly NodeRow[], output: TableOutput): string {
  const { width = Number.POSITIVE_INFINITY } = output
  const room = width - GAP.length
  const short = withoutCommonEnd(rows)
  const kept = withoutOmitted(columns, short, room)
  const widths = narrowed(kept, widthsOf(kept, short), room)
  const groups = Map.groupBy(short, ({ system, pool_id }) => `${system} ${pool_id}`)
  return [...groups.values()]
    .map((group) => {
      const heading = COLUMNS.filter((column) => column.heading).map(({ text }) => text(group[0] as NodeRow))
      const title = shorten(heading.join(', '), width)
      return `${title}\n${tableText(kept, group, output, widths, GAP)}`
    })
    .join('\n')
}

/** The lines of a table, with a header. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { stream, width = Number.POSITIVE_INFINITY }: TableOutput,
  widths = narrowed(columns, widthsOf(columns, rows), width),
  indentation = '',
): string {
  const lineOf = (cellOf: (column: Column<Row>, width: number) => string) =>
    `${indentation}${columns
      .map((column, index) => cellOf(column, widths[index] ?? 0))
      .join(GAP)
      .trimEnd()}\n`
  const header = lineOf((column, width) => placed(column.title, column, width))
  const lines = rows.map((row) =>
    lineOf((column, width) => {
      const text = placed(column.text(row), column, width)
      const colour = column.colour?.(row)
      return colour === undefined || stream === undefined ? text : styleText(colour, text, { stream })
    }),
  )
  return header + lines.join('')
}

function placed(text: string, { right }: Pick<Column, 'right'>, width: number): string {
  const short = shorten(text, width)
  const blanks = ' '.repeat(Math.max(0, width - cells(short)))
  return right ? `${blanks}${short}` : `${short}${blanks}`
}

/** The part of a host name from a dot on, if it is the same for all nodes. */
function withoutCommonEnd(rows: readonly NodeRow[]): readonly NodeRow[] {
  const ends = new Set(rows.map(({ node }) => node.replace(/^[^.]*/, '')))
  const [end = ''] = ends
  if (ends.size !== 1 || end === '') return rows
  return rows.map((row) => ({ ...row, node: row.node.slice(0, -end.length) }))
}

function withoutOmitted(
  columns: readonly Column[],
  rows: readonly NodeRow[],
  room: number,
): readonly Column[] {
  const next = Math.max(...columns.map(({ omitted = 0 }) => omitted))
  if (next === 0 || fits(columns, rows, room)) return columns
  const kept = columns.filter(({ omitted = 0 }) => omitted !== next)
  return withoutOmitted(kept, rows, room)
}

const MIN_COLUMN_WIDTH = 8

/** Reduces the widest name column until the line fits. */
function narrowed<Row>(columns: readonly Column<Row>[], widths: readonly number[], room: number): number[] {
  const fitted = [...widths]
  while (totalOf(fitted) > room) {
    const shrinkable = fitted.map((size, index) => (columns[index]?.shrinks ? size : 0))
    const widest = shrinkable.indexOf(Math.max(...shrinkable))
    if ((fitted[widest] ?? 0) <= MIN_COLUMN_WIDTH) break
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}

/** The beginning of a text that is wider than `maxWidth` cells, with an ellipsis. */
function shorten(text: string, maxWidth: number): string {
  if (cells(text) <= maxWidth) return text
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  while (characters.length > 0 && cells(`${characters.join('')}…`) > maxWidth) characters.pop()
  return `${characters.join('')}…`
}
