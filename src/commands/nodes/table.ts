import { FULL_RATIO } from '../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS } from '../../status/pool_status.ts'
import { durationText, latencyText, percentText, storageText, visibleText } from '../../text.ts'
import { type Colour, type Column, type TableOutput, tableLines } from '../cli/output/table.ts'
import { type NodeRow, severityOf } from './rows.ts'

const ABSENT = '-'
const shown = <T>(value: T | null, text: (value: T) => string): string =>
  value === null ? ABSENT : text(value)

const COLUMNS: readonly Column<NodeRow>[] = [
  { title: 'SYSTEM', text: ({ system }) => system, shrinks: true },
  { title: 'POOL', text: ({ pool }) => visibleText(pool), shrinks: true },
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
): Column<NodeRow> {
  const text = (row: NodeRow) => {
    const value = of(row)
    return value === null ? '' : textOf(value)
  }
  return { title, text, right: true, optional: true, omitted }
}

function hardware(
  title: string,
  member: 'rack' | 'address' | 'software_version',
  omitted: number,
): Column<NodeRow> {
  return { title, text: ({ [member]: text }) => visibleText(text ?? ''), optional: true, omitted }
}

const HEALTH_COLOURS: readonly Colour[] = ['green', 'cyan', 'yellow', 'yellow', 'red', 'red']

export const COLUMNS_HELP = `  DISKS        good disks/all disks
  BAD          bad disks
  OTHER        other disks: ready to be replaced, in maintenance, or in an
               unknown state
  USED, BYTES  allocated disk space, as a percentage of the total and in bytes
               (TiB = 2^40)
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

/** The rows as a table with a header line. Without room, columns are left out, and then names are cut at their end. */
export function nodesTable(rows: readonly NodeRow[], output: TableOutput): string {
  return tableLines(COLUMNS, rows, output)
    .map((line) => `${line}\n`)
    .join('')
}
