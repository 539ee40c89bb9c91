import { FULL_RATIO, healthSeverity, type NodeStatus } from '../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS } from '../../status/pool_status.ts'
import type { Severity } from '../../status/states.ts'
import { durationText, latencyText, percentText, storageText, visibleText } from '../../text.ts'
import { type Colour, type Column, type TableOutput, tableLines } from '../cli/output/table.ts'

export interface NodeRow extends NodeStatus {
  readonly system: string
  /** Label of the metrics. */
  readonly pool: string
  readonly pool_id: string
  /** Corrected by the clock skew; null without a sample. */
  readonly newest_sample_age_seconds: number | null
}

const ABSENT = '-'
const shown = <T>(value: T | null, text: (value: T) => string): string =>
  value === null ? ABSENT : text(value)
const served = <T>(value: T | null, text: (value: T) => string): string => (value === null ? '' : text(value))

/** Columns without a value in any row are left out. */
const IF_SERVED = { optional: true } as const
const NUMBER = { right: true } as const

const COLUMNS: readonly Column<NodeRow>[] = [
  { title: 'SYSTEM', text: ({ system }) => system, shrinks: true },
  { title: 'POOL', text: ({ pool }) => visibleText(pool), shrinks: true },
  { title: 'NODE', text: ({ name }) => visibleText(name), shrinks: true },
  {
    title: 'HEALTH',
    text: ({ health }) => shown(health, visibleText),
    colour: ({ health }) => COLOURS[healthSeverity(health ?? '')],
    shrinks: true,
  },
  { title: 'DISKS', text: goodOfAll, ...NUMBER },
  {
    title: 'BAD',
    text: ({ disks_bad }) => shown(disks_bad, String),
    colour: ({ disks_bad }) => (disks_bad !== null && disks_bad > 0 ? 'red' : undefined),
    ...NUMBER,
  },
  { title: 'OTHER', text: otherDisks, colour: () => 'yellow', ...IF_SERVED, omitted: 1 },
  {
    title: 'USED',
    text: (row) => shown(row.disk_space_allocated_ratio, percentText),
    colour: (row) => ((row.disk_space_allocated_ratio ?? 0) >= FULL_RATIO ? 'yellow' : undefined),
    ...NUMBER,
  },
  {
    title: 'BYTES',
    text: (row) => shown(row.disk_space_allocated_bytes, storageText),
    ...NUMBER,
    omitted: 4,
  },
  {
    title: 'ERRORS',
    text: (row) => served(row.failed_transactions_ratio, percentText),
    ...NUMBER,
    ...IF_SERVED,
    omitted: 2,
  },
  {
    title: 'READ',
    text: (row) => served(row.read_latency_seconds, latencyText),
    ...NUMBER,
    ...IF_SERVED,
    omitted: 3,
  },
  {
    title: 'WRITE',
    text: (row) => served(row.write_latency_seconds, latencyText),
    ...NUMBER,
    ...IF_SERVED,
    omitted: 3,
  },
  {
    title: 'AGE',
    text: (row) => shown(row.newest_sample_age_seconds, ageText),
    colour: (row) => ((row.newest_sample_age_seconds ?? 0) > OLD_SAMPLE_SECONDS ? 'yellow' : undefined),
    ...NUMBER,
  },
  { title: 'RACK', text: ({ rack }) => served(rack, visibleText), ...IF_SERVED, omitted: 5 },
  { title: 'ADDRESS', text: ({ address }) => served(address, visibleText), ...IF_SERVED, omitted: 6 },
  { title: 'VERSION', text: (row) => served(row.software_version, visibleText), ...IF_SERVED, omitted: 7 },
]

const COLOURS: Readonly<Record<Severity, Colour>> = {
  ok: 'green',
  notice: 'cyan',
  warning: 'yellow',
  critical: 'red',
}

export const COLUMNS_HELP = `  DISKS        good disks/all disks
  BAD          bad disks
  OTHER        other disks: ready to be replaced, in maintenance, or in an
               unknown state
  USED, BYTES  allocated disk space, as a percentage of the total and in bytes
               (TiB = 2^40)
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
