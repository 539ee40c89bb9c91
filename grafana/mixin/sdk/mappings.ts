import {
  type DynamicConfigValue,
  MappingType,
  ThresholdsMode,
  type ValueMapping,
  type ValueMappingResult,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { COLORS, PLAIN_COLORS, SERIES_COLORS, type StateColor } from '../colors.ts'
import { DATA_CODES } from '../promql/pools.ts'
import { DISKS, HEALTH, NO_DATA_HEALTH, POLLS_FAIL_HEALTH, UNKNOWN_HEALTH } from '../settings.ts'
import { from, type Override } from './spec.ts'

const valueMap = (options: Record<string, ValueMappingResult>): ValueMapping => ({
  type: MappingType.ValueToText,
  options,
})

/** Texts in the colours of states; `plain` is the background of the panel. */
const states = (
  list: readonly (readonly [value: number | string, text: string, state: StateColor | 'plain'])[],
): readonly ValueMapping[] => [
  valueMap(
    Object.fromEntries(
      list.map(([value, text, state], index) => [
        String(value),
        { text, color: state === 'plain' ? PLAIN_COLORS.fill : COLORS[state].fill, index },
      ]),
    ),
  ),
]

const healthMappings = (good: 'good' | 'plain'): readonly ValueMapping[] =>
  states(
    [...Object.values(HEALTH), UNKNOWN_HEALTH, NO_DATA_HEALTH, POLLS_FAIL_HEALTH].map(
      ({ code, text, state }) => [code, text, state === 'good' ? good : state],
    ),
  )

/** Codes of `healthCode` (promql/nodes.ts) as text and colour. */
export const HEALTH_MAPPINGS = healthMappings('good')
/** Health codes for tables, where only cells that are not Good have a colour. */
export const HEALTH_CELLS = healthMappings('plain')

/** Texts for 1 (green) and 0. */
export const upDown = (up: string, down: string, state: StateColor = 'critical'): readonly ValueMapping[] =>
  states([
    [1, up, 'good'],
    [0, down, state],
  ])

/** Texts for 1 and 0 in tables and tiles, where only the fault has a colour. */
export const upDownCells = (
  up: string,
  down: string,
  state: StateColor = 'critical',
): readonly ValueMapping[] =>
  states([
    [1, up, 'plain'],
    [0, down, state],
  ])

/** The result of the last poll of a Flux API. Without it, the dashboard API still has the health and the capacity. */
export const QUERY_RESULT = ['ok', 'query failed', 'warning'] as const

/** Whether a system answers: 0, 1 for a system that does not, and 2 for one that no exporter reports any more. */
export const REACHABLE_CELLS = states([
  [0, 'reachable', 'plain'],
  [1, 'not reachable', 'critical'],
  [2, 'not reported', 'critical'],
])

/** Whether a resource of a system is read: 0, 1 where it fails, 2 where the system does not serve or allow it. */
export const RESOURCE_CELLS = states([
  [0, 'read', 'plain'],
  [1, 'fails', 'warning'],
  [2, 'not available', 'plain'],
])

/** Whether background work is enabled. */
export const ENABLED_CELLS = states([
  [1, 'on', 'plain'],
  [0, 'off', 'warning'],
])

/** A link that has failed: 1. */
export const LINK_CELLS = states([
  [0, 'works', 'plain'],
  [1, 'failed', 'critical'],
])

/** 1 and 0 as yes and no, without colour. */
export const YES_NO = states([
  [1, 'yes', 'plain'],
  [0, 'no', 'plain'],
])

/** Whether recovery runs: 1 and 0. */
export const RECOVERY_MAPPINGS = states([
  [1, 'recovering', 'failed'],
  [0, 'idle', 'good'],
])

/** Codes of the severities of alerts, the most severe the largest. */
export const SEVERITY_MAPPINGS = states([
  [3, 'critical', 'critical'],
  [2, 'warning', 'warning'],
  [1, 'info', 'planned'],
])

/** Codes of `dataCode` (promql/pools.ts). */
export const DATA_MAPPINGS = states([
  [DATA_CODES.current, 'current', 'plain'],
  [DATA_CODES.old, 'old samples', 'warning'],
  [DATA_CODES.failing, 'polls fail', 'critical'],
  [DATA_CODES.notReported, 'not reported', 'critical'],
])

/** Statuses of disks as text and colour. */
export const DISK_CELLS = states(
  Object.entries(DISKS).map(([status, { text, state }]) => [status, text, state]),
)

/**
 * The share of nodes that serve an attribute. 0 has a text of its own, not "No data", because it is no fault: newer
 * systems no longer serve whole categories.
 */
export const SERVED_MAPPINGS = states([
  [0, 'not served', 'plain'],
  [1, 'served', 'plain'],
])

/** A forecast of 0 seconds: the target is reached. */
export const REACHED_MAPPINGS = states([[0, 'reached', 'critical']])

/** Values from `critical` upwards, from 1 upwards, and 0. */
export const issueMappings = (critical: number): readonly ValueMapping[] => [
  {
    type: MappingType.RangeToText,
    options: {
      from: critical,
      to: Number.MAX_SAFE_INTEGER,
      result: { text: 'critical', color: COLORS.critical.fill, index: 0 },
    },
  },
  {
    type: MappingType.RangeToText,
    options: { from: 1, to: critical - 1, result: { text: 'warning', color: COLORS.warning.fill, index: 1 } },
  },
  valueMap({ '0': { text: 'none', color: PLAIN_COLORS.fill, index: 2 } }),
]

const named = (name: string, text: string): DynamicConfigValue[] =>
  text === name ? [] : [{ id: 'displayName', value: text }]

/** A line or area in a fixed colour. */
const colored = (name: string, color: string, text = name): Override => ({
  name,
  properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }, ...named(name, text)],
})

/** A count that has a colour from 1 upwards: a red 0 would look like a fault. */
const counted = (name: string, state: StateColor, text: string): Override => {
  const value = { mode: ThresholdsMode.Absolute, steps: from(1, state) }
  return { name, properties: [{ id: 'thresholds', value }, ...named(name, text)] }
}

/** Lets a word break where it would be cut: with four tiles or more, “Maintenance” is too long for its own. */
const SOFT_HYPHEN = '\u00ad'
const breakable = (text: string): string => text.replace('Maintenance', ['Mainte', 'nance'].join(SOFT_HYPHEN))

/** Counts named after a health status. */
export const HEALTH_COUNTS: readonly Override[] = Object.entries(HEALTH).map(([status, { state, text }]) =>
  counted(status, state, breakable(text)),
)

/** Counts named after a disk status. */
export const DISK_COUNTS: readonly Override[] = Object.entries(DISKS).map(([status, { state, text }]) =>
  counted(status, state, text),
)

/** Counts of alerts of the storage system, named after their severity; its notes need no colour. */
export const ALERT_COUNTS: readonly Override[] = [
  counted('Critical', 'critical', 'Critical'),
  counted('Error', 'failed', 'Error'),
  counted('Warning', 'warning', 'Warning'),
]

/** Areas named after a disk status. */
export const DISK_AREAS: readonly Override[] = Object.entries(DISKS).map(([status, { area, text }]) =>
  colored(status, area, text),
)

/** Purposes of disk traffic. */
export const PURPOSE_AREAS: readonly Override[] = Object.entries({
  user: SERIES_COLORS.userTraffic,
  erasure_coding: SERIES_COLORS.erasureCoding,
  geo_replication: SERIES_COLORS.geoReplication,
  consistency_check: SERIES_COLORS.consistencyCheck,
  xor: SERIES_COLORS.xor,
  recovery: COLORS.failed.line,
}).map(([purpose, color]) => colored(purpose, color, purpose.replace('_', ' ')))

const fixed = (colors: Readonly<Record<string, string>>): readonly Override[] =>
  Object.entries(colors).map(([name, color]) => colored(name, color))

/** Categories of failures. */
export const FAILURE_AREAS = fixed({ User: SERIES_COLORS.userErrors, System: SERIES_COLORS.systemErrors })
export const READS_WRITES = fixed({ Reads: SERIES_COLORS.reads, Writes: SERIES_COLORS.writes })
export const RECEIVED_TRANSMITTED = fixed({
  Received: SERIES_COLORS.received,
  Transmitted: SERIES_COLORS.transmitted,
})
/** Purposes of allocated space, in words. */
export const SPACE_PURPOSES: readonly Override[] = [
  'user_data',
  'system_metadata',
  'local_protection',
  'geo_copy',
  'geo_cache',
].map((purpose) => ({ name: purpose, properties: named(purpose, purpose.replace('_', ' ')) }))
export const SPACE_AREAS = fixed({
  Allocated: SERIES_COLORS.allocated,
  Free: SERIES_COLORS.free,
  Reserved: SERIES_COLORS.reserved,
})
