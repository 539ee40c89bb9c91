import { styleText } from 'node:util'
import { cells } from './width.ts'

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
  /** Width of the terminal in cells; undefined: unlimited. */
  readonly width?: number | undefined
  /** The stream whose support for colours is used; undefined: no colours. */
  readonly stream?: NodeJS.WritableStream
}

const GAP = '  '
const MIN_COLUMN_WIDTH = 8

/** The cells that the lines of a table take with all of its columns. */
export function tableWidth<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number {
  return totalOf(widthsOf(withoutEmpty(columns, rows), rows))
}

/** The lines of a table, of which the first is the header. */
export function tableLines<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  { stream, width = Number.POSITIVE_INFINITY }: TableOutput,
): readonly [header: string, ...lines: string[]] {
  const columns = withoutOmitted(all, rows, width)
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
    rows.reduce((widest, row) => Math.max(widest, cells(text(row))), cells(title)),
  )
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((a, b) => a + b, 0) + GAP.length * (widths.length - 1)
}

function placed(text: string, right: true | undefined, width: number): string {
  const short = shorten(text, width)
  const blanks = ' '.repeat(Math.max(0, width - cells(short)))
  return right ? `${blanks}${short}` : `${short}${blanks}`
}

function withoutEmpty<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] {
  return columns.filter(({ optional, text }) => !optional || rows.some((row) => text(row) !== ''))
}

function withoutOmitted<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  let columns = withoutEmpty(all, rows)
  let last = Math.max(...columns.map(({ omitted = 0 }) => omitted))
  for (; last > 0 && tableWidth(columns, rows) > width; last -= 1)
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

/** The beginning of a text that is wider than `maxWidth` cells, with an ellipsis. */
export function shorten(text: string, maxWidth: number): string {
  if (cells(text) <= maxWidth) return text
  let [kept, width] = ['', cells('…')]
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += cells(segment)
    if (width > maxWidth) break
    kept += segment
  }
  return `${kept}…`
}
