import { styleText } from 'node:util'

export type Colour = 'green' | 'cyan' | 'yellow' | 'red'

export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  /** Undefined: not coloured. */
  readonly colour?: (row: Row) => Colour | undefined
  /** Aligned right, for numbers. */
  readonly right?: true
  /** Cut at its end if the terminal is too narrow. */
  readonly shrinks?: true
  /** Left out if the terminal is too narrow, those with a higher number first. */
  readonly omitted?: number
  /** Omitted if empty in all rows. */
  readonly optional?: true
}

export interface TableOutput {
  /** Width of the terminal in characters; undefined: unlimited. */
  readonly width?: number | undefined
  /** The stream whose support for colours is used; undefined: no colours. */
  readonly stream?: NodeJS.WritableStream
}

const GAP = '  '
const MIN_COLUMN_WIDTH = 8

/** The lines of a table, of which the first is the header. */
export function tableLines<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  { stream, width = Number.POSITIVE_INFINITY }: TableOutput,
): string[] {
  const columns = fittingColumns(all, rows, width)
  const widths = narrowed(columns, widthsOf(columns, rows), width)
  const lineOf = (cellOf: (column: Column<Row>, width: number) => string) =>
    columns
      .map((column, index) => cellOf(column, widths[index] ?? 0))
      .join(GAP)
      .trimEnd()
  const lines = rows.map((row) =>
    lineOf((column, size) => {
      const text = placed(column.text(row), column.right, size)
      const colour = column.colour?.(row)
      return colour === undefined || stream === undefined ? text : styleText(colour, text, { stream })
    }),
  )
  return [lineOf((column, size) => placed(column.title, column.right, size)), ...lines]
}

function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ title, text }) =>
    rows.reduce((widest, row) => Math.max(widest, text(row).length), title.length),
  )
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((a, b) => a + b, 0) + GAP.length * (widths.length - 1)
}

function placed(text: string, right: true | undefined, width: number): string {
  const short = text.length <= width ? text : `${text.slice(0, width - 1).toWellFormed()}…`
  return right ? short.padStart(width) : short.padEnd(width)
}

function fittingColumns<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  let columns = all.filter(({ optional, text }) => !optional || rows.some((row) => text(row) !== ''))
  let last = Math.max(...columns.map(({ omitted = 0 }) => omitted))
  for (; last > 0 && totalOf(widthsOf(columns, rows)) > width; last -= 1)
    columns = columns.filter(({ omitted = 0 }) => omitted < last)
  return columns
}

/** Reduces the widest column that shrinks until the line fits. */
function narrowed<Row>(columns: readonly Column<Row>[], widths: readonly number[], width: number): number[] {
  const fitted = [...widths]
  while (totalOf(fitted) > width) {
    const shrinkable = fitted.map((size, index) => (columns[index]?.shrinks ? size : 0))
    const widest = shrinkable.indexOf(Math.max(...shrinkable))
    if ((shrinkable[widest] ?? 0) <= MIN_COLUMN_WIDTH) break
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}
