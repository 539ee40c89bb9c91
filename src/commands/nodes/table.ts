import { styleText } from 'node:util'
import { FULL_RATIO } from '../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS } from '../../status/pool_status.ts'
import { durationText, latencyText, percentText, storageText, visibleText } from '../../text.ts'
import { cells } from '../cli/output/width.ts'
import { type NodeRow, severityOf } from './rows.ts'

type Colour = 'green' | 'cyan' | 'yellow' | 'red'

export interface Column<Row = NodeRow> {
  readonly title: string
  readonly text: (row: Row) => string
  /** Undefined: not coloured. */
  readonly colour?: (row: Row) => Colour | undefined
  /** Aligned right, for numbers. */
  readonly right?: true
  /** The system or the pool, which a heading can replace. */
  readonly heading?: true
  readonly shrinks?: true
  /** Left out if the terminal is too narrow, those with a higher number first. */
  readonly omitted?: number
  /** Omitted if empty in all rows. */
  readonly optional?: true
}

const ABSENT = '-'
const shown = <T>(value: T | null, text: (value: T) => string): string =>
  value === null ? ABSENT : text(value)

const COLUMNS: readonly Column[] = [
  { title: 'SYSTEM', text: ({ system }) => system, heading: true },
  { title: 'POOL', text: ({ pool }) => visibleText(pool), heading: true },
  { title: 'NODE', text: ({ node }) => visibleText(node), shrinks: true },
  {
    title: 'HEALTH',
    text: ({ health_status }) => shown(health_status, visibleText),
    colour: ({ health_status }) => HEALTH_COLOURS[severityOf(health_status)],
    shrinks: true,
  },
  { title: 'DISKS', text: goodOfAll, right: true },
  {
    title: 'BAD',
    text: ({ disks_bad }) => shown(disks_bad, String),
    colour: ({ disks_bad }) => (disks_bad !== null && disks_bad > 0 ? 'red' : undefined),
    right: true,
  },
  { title: 'OTHER', text: otherDisks, colour: () => 'yellow', optional: true, omitted: 1 },
  {
    title: 'USED',
    text: (row) => shown(row.disk_space_allocated_ratio, percentText),
    colour: ({ disk_space_allocated_ratio: ratio }) =>
      ratio !== null && ratio >= FULL_RATIO ? 'yellow' : undefined,
    right: true,
  },
  {
    title: 'BYTES',
    text: (row) => shown(row.disk_space_allocated_bytes, storageText),
    right: true,
    omitted: 4,
  },
  {
    title: 'TO TARGET',
    text: ({ pool_forecast_seconds: seconds }) =>
      seconds === 0 ? 'reached' : seconds === null ? '' : durationText(seconds),
    right: true,
    optional: true,
    omitted: 4,
  },
  numbers('ERRORS', ({ transaction_errors_ratio: ratio }) => ratio, percentText, 2),
  numbers('READ', (row) => row.transaction_read_latency_seconds, latencyText, 3),
  numbers('WRITE', (row) => row.transaction_write_latency_seconds, latencyText, 3),
  {
    title: 'AGE',
    text: (row) => shown(row.newest_sample_age_seconds, ageText),
    colour: ({ newest_sample_age_seconds: age }) =>
      age !== null && age > OLD_SAMPLE_SECONDS ? 'yellow' : undefined,
    right: true,
  },
  hardware('RACK', 'rack', 5),
  hardware('ADDRESS', 'address', 6),
  hardware('VERSION', 'software_version', 7),
]

function numbers(
  title: string,
  of: (row: NodeRow) => number | null,
  textOf: (value: number) => string,
  omitted: number,
): Column {
  const text = (row: NodeRow) => {
    const value = of(row)
    return value === null ? '' : textOf(value)
  }
  return { title, text, right: true, optional: true, omitted }
}

function hardware(title: string, member: 'rack' | 'address' | 'software_version', omitted: number): Column {
  return { title, text: ({ [member]: text }) => visibleText(text ?? ''), optional: true, omitted }
}

const HEALTH_COLOURS: readonly Colour[] = ['green', 'cyan', 'yellow', 'yellow', 'red', 'red']

export const COLUMNS_HELP = `  DISKS        good disks/all disks
  BAD          bad disks
  OTHER        other disks: ready to be replaced, in maintenance, or in an
               unknown state
  USED, BYTES  allocated disk space, as a percentage of the total and in bytes
               (TB = 10^12)
  TO TARGET    time until the pool reaches the forecast target of the alerts, by
               the median forecast of its nodes
  ERRORS       failed transactions
  READ, WRITE  mean latency of transactions, where the system serves it
  AGE          age of the newest sample by the clock of the system; "in 5m" is
               in the future
  RACK, ADDRESS, VERSION
               of the node, where the system names them`

function goodOfAll({ disks, disks_good: good }: NodeRow): string {
  if (disks === null && good === null) return ABSENT
  return `${shown(good, String)}/${shown(disks, String)}`
}

function otherDisks(row: NodeRow): string {
  const { disks, disks_good, disks_bad, disks_maintenance: maintenance, disks_ready_to_replace: ready } = row
  const known = [disks_good, disks_bad, maintenance, ready].filter((count) => count !== null)
  const rest = disks === null || known.length < 4 ? 0 : disks - known.reduce((a, b) => a + b, 0)
  const parts = Object.entries({ ready: ready ?? 0, maint: maintenance ?? 0, unknown: rest })
  return parts.flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')
}

/** The Date header has a resolution of one second. */
const CLOCK_RESOLUTION_SECONDS = 2

function ageText(seconds: number): string {
  if (seconds < -CLOCK_RESOLUTION_SECONDS) return `in ${durationText(-seconds)}`
  return durationText(Math.max(seconds, 0))
}

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
  let [kept, width] = ['', cells('…')]
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += cells(segment)
    if (width > maxWidth) break
    kept += segment
  }
  return `${kept}…`
}
