import { FULL_RATIO } from '../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS } from '../../status/pool_status.ts'
import { bytesText, durationText, percentText, visibleText } from '../../text.ts'
import { type NodeRow, severityOf } from './rows.ts'

export type Colour = 'green' | 'cyan' | 'yellow' | 'red'

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

export const COLUMNS: readonly Column[] = [
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
    text: (row) => shown(row.disk_space_allocated_bytes, bytesText),
    right: true,
    omitted: 2,
  },
  {
    title: 'AGE',
    text: (row) => shown(row.newest_sample_age_seconds, ageText),
    colour: ({ newest_sample_age_seconds: age }) =>
      age !== null && age > OLD_SAMPLE_SECONDS ? 'yellow' : undefined,
    right: true,
  },
  hardware('RACK', 'rack', 3),
  hardware('ADDRESS', 'address', 4),
  hardware('VERSION', 'software_version', 5),
]

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
