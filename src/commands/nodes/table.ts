import { durationText } from '../../duration_text.ts'
import { bytesText, percentText } from '../../quantities.ts'
import { visibleText } from '../../visible_text.ts'
import type { NodeRow } from './rows.ts'

interface Column {
  readonly title: string
  readonly text: (row: NodeRow) => string
  /** Aligned right, for numbers. */
  readonly right?: true
  /** Shortened if the terminal is too narrow. */
  readonly shrinks?: true
  /** Omitted if empty in all rows. */
  readonly optional?: true
}

const ABSENT = '-'
const shown = <T>(value: T | null, text: (value: T) => string): string =>
  value === null ? ABSENT : text(value)

const COLUMNS: readonly Column[] = [
  { title: 'SYSTEM', text: ({ system }) => system, shrinks: true },
  { title: 'POOL', text: ({ pool }) => visibleText(pool), shrinks: true },
  { title: 'NODE', text: ({ node }) => visibleText(node), shrinks: true },
  { title: 'HEALTH', text: ({ health_status }) => shown(health_status, visibleText), shrinks: true },
  { title: 'DISKS', text: goodOfAll, right: true },
  { title: 'BAD', text: ({ disks_bad }) => shown(disks_bad, String), right: true },
  { title: 'OTHER', text: otherDisks, optional: true },
  { title: 'USED', text: (row) => shown(row.disk_space_allocated_ratio, percentText), right: true },
  { title: 'BYTES', text: (row) => shown(row.disk_space_allocated_bytes, bytesText), right: true },
  { title: 'AGE', text: (row) => shown(row.newest_sample_age_seconds, ageText), right: true },
]

/** Descriptions of the columns, for --help. */
export const COLUMNS_HELP = `  DISKS        good disks/all disks
  BAD          bad disks
  OTHER        other disks: ready to be replaced, in maintenance, or in an unknown state
  USED, BYTES  allocated disk space, as a percentage of the total and in bytes (TB = 10^12)
  AGE          age of the newest sample by the clock of the system; "in 5m" is in the future`

function goodOfAll({ disks, disks_good: good }: NodeRow): string {
  if (disks === null && good === null) return ABSENT
  return `${shown(good, String)}/${shown(disks, String)}`
}

function otherDisks(row: NodeRow): string {
  const { disks, disks_good, disks_bad, disks_maintenance, disks_ready_to_replace } = row
  const counted = [disks_good, disks_bad, disks_maintenance, disks_ready_to_replace]
  const rest = disks === null || counted.includes(null) ? 0 : disks - counted.reduce(sum, 0)
  const parts = [
    [disks_ready_to_replace, 'ready'],
    [disks_maintenance, 'maint'],
    [rest, 'unknown'],
  ] as const
  return parts
    .flatMap(([count, what]) => (count !== null && count > 0 ? [`${count} ${what}`] : []))
    .join(', ')
}

const sum = (a: number, b: number | null): number => a + (b ?? 0)

/** The Date header has a resolution of one second. */
const CLOCK_RESOLUTION_SECONDS = 2

function ageText(seconds: number): string {
  if (seconds < -CLOCK_RESOLUTION_SECONDS) return `in ${durationText(-seconds)}`
  return durationText(Math.max(seconds, 0))
}

const GAP = '  '
const MIN_COLUMN_WIDTH = 8

/**
 * The rows as a table with a header line.
 * @param width of the terminal in cells; names are shortened to fit. Undefined: unlimited
 */
export function nodesTable(rows: readonly NodeRow[], width: number | undefined): string {
  const columns = COLUMNS.filter(({ optional, text }) => !optional || rows.some((row) => text(row) !== ''))
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => text(row))),
  ]
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, cells(line[index] ?? '')), 0),
  )
  const fitted = width === undefined ? widths : narrowed(columns, widths, width)
  return lines.map((line) => `${line.map(place).join(GAP).trimEnd()}\n`).join('')

  function place(text: string, index: number): string {
    const maxWidth = fitted[index] ?? 0
    const short = shorten(text, maxWidth)
    const blanks = ' '.repeat(Math.max(0, maxWidth - cells(short)))
    return columns[index]?.right ? `${blanks}${short}` : `${short}${blanks}`
  }
}

/** Reduces the widest name column until the line fits. */
function narrowed(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const fitted = [...widths]
  const total = () => fitted.reduce((a, b) => a + b, 0) + GAP.length * (fitted.length - 1)
  while (total() > width) {
    const shrinkable = fitted.map((size, index) => (columns[index]?.shrinks ? size : 0))
    const widest = shrinkable.indexOf(Math.max(...shrinkable))
    if ((fitted[widest] ?? 0) <= MIN_COLUMN_WIDTH) break
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}

/** Removes the middle, because names differ at their beginning or end. */
function shorten(text: string, maxWidth: number): string {
  if (cells(text) <= maxWidth) return text
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  const head = characters.splice(0, Math.ceil(characters.length / 2))
  while (cells(`${head.join('')}…${characters.join('')}`) > maxWidth && head.length + characters.length > 0) {
    if (head.length >= characters.length) head.pop()
    else characters.shift()
  }
  return `${head.join('')}…${characters.join('')}`
}

const ZERO_WIDTH = /\p{M}|\u200d/u
const DOUBLE_WIDTH =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Width of a text in terminal cells. */
function cells(text: string): number {
  let count = 0
  for (const character of text) count += ZERO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1
  return count
}
