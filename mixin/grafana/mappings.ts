import {
  type DynamicConfigValue,
  MappingType,
  ThresholdsMode,
  type ValueMapping,
  type ValueMappingResult,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DISK_COLORS, HEALTH, UNKNOWN_HEALTH } from '../settings.ts'
import type { Override } from './spec.ts'

const valueMap = (options: Record<string, ValueMappingResult>): ValueMapping => ({
  type: MappingType.ValueToText,
  options,
})

/** Codes of `healthCode` (promql/nodes.ts) as text and colour. */
export const HEALTH_MAPPINGS: readonly ValueMapping[] = [
  valueMap(
    Object.fromEntries(
      [...Object.values(HEALTH), UNKNOWN_HEALTH].map(({ code, text, color }) => [
        String(code),
        { text, color, index: code },
      ]),
    ),
  ),
]

/** Texts for 1 (green) and 0 (red). */
export const upDown = (up: string, down: string): readonly ValueMapping[] => [
  valueMap({ '1': { text: up, color: 'green', index: 0 }, '0': { text: down, color: 'red', index: 1 } }),
]

/** 1 and 0 as yes and no, without colour. */
export const YES_NO: readonly ValueMapping[] = [
  valueMap({ '1': { text: 'yes', index: 0 }, '0': { text: 'no', index: 1 } }),
]

/** Texts for 1 (orange) and 0 (green). */
export const onOff = (on: string, off: string): readonly ValueMapping[] => [
  valueMap({ '1': { text: on, color: 'orange', index: 0 }, '0': { text: off, color: 'green', index: 1 } }),
]

/**
 * The share of nodes that serve an attribute. 0 is grey with a text of its own, not "No data", because it is no fault:
 * newer systems no longer serve whole categories.
 */
export const SERVED_MAPPINGS: readonly ValueMapping[] = [
  valueMap({
    '0': { text: 'not served by this system', color: 'text', index: 0 },
    '1': { text: 'served', color: 'green', index: 1 },
  }),
]

/** A forecast of 0 seconds: the target is reached. */
export const REACHED_MAPPING: ValueMapping = valueMap({ '0': { text: 'reached', color: 'red', index: 0 } })

const named = (name: string, text: string): DynamicConfigValue[] =>
  text === name ? [] : [{ id: 'displayName', value: text }]

/** A line or area in a fixed colour. */
const colored = (name: string, color: string, text = name): Override => ({
  name,
  properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }, ...named(name, text)],
})

/** A count in a fixed colour, grey while it is 0, because a red 0 would look like a fault. */
const counted = (name: string, color: string, text = name): Override => {
  const steps = [
    { value: null, color: 'text' },
    { value: 1, color },
  ]
  const value = { mode: ThresholdsMode.Absolute, steps }
  return { name, properties: [{ id: 'thresholds', value }, ...named(name, text)] }
}

/** Counts named after a health status. */
export const HEALTH_COUNTS: readonly Override[] = Object.entries(HEALTH).map(([status, { color, text }]) =>
  counted(status, color, text),
)

const DISK_STATES = Object.entries(DISK_COLORS).map(
  ([status, color]) => [status, color, status === 'ReadyToReplace' ? 'Ready to replace' : status] as const,
)

/** Counts named after a disk status. */
export const DISK_COUNTS: readonly Override[] = DISK_STATES.map((state) => counted(...state))

/** Areas named after a disk status. */
export const DISK_AREAS: readonly Override[] = DISK_STATES.map((state) => colored(...state))

/** Purposes of disk traffic in fixed colours; user traffic is green. */
export const PURPOSE_AREAS: readonly Override[] = Object.entries({
  user: 'green',
  erasure_coding: 'blue',
  geo_replication: 'purple',
  consistency_check: 'yellow',
  xor: 'super-light-blue',
  recovery: 'red',
}).map(([purpose, color]) => colored(purpose, color, purpose.replace('_', ' ')))
