import type { FieldConfig, Panel, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard'
import { format } from './units.ts'

/** Grafana's colours of the dark theme. */
const COLORS: Readonly<Record<string, string>> = {
  green: '#73bf69',
  yellow: '#fade2a',
  red: '#f2495c',
  'dark-red': '#c4162a',
  blue: '#5794f2',
  'dark-blue': '#1f60c4',
  'super-light-blue': '#c0d8ff',
  orange: '#ff9830',
  'super-light-orange': '#ffcb7d',
  purple: '#b877d9',
  'dark-purple': '#8f3bb8',
  text: '#ccccdc',
}

const PALETTE = [
  '#73bf69',
  '#f2cc0c',
  '#8ab8ff',
  '#ff780a',
  '#f2495c',
  '#5794f2',
  '#b877d9',
  '#705da0',
  '#37872d',
  '#fade2a',
  '#447ebc',
  '#c15c17',
]

export const color = (name: string): string => COLORS[name] ?? name
export const paletteColor = (index: number): string => PALETTE[index % PALETTE.length] ?? '#9fa7b3'

/** Display options of one series or column: the defaults of the panel with the overrides by name. */
export interface Field {
  readonly name: string
  readonly config: FieldConfig
  readonly custom: Readonly<Record<string, unknown>>
}

const matches = (pattern: string, name: string): boolean =>
  pattern.startsWith('/') ? new RegExp(pattern.slice(1, -1)).test(name) : pattern === name

/** Applies the overrides whose matcher matches the name. */
export function fieldOf(panel: Panel, name: string): Field {
  const defaults: FieldConfig = panel.fieldConfig?.defaults ?? {}
  const config: Record<string, unknown> = { ...defaults }
  const custom: Record<string, unknown> = { ...defaults.custom }
  for (const { matcher, properties } of panel.fieldConfig?.overrides ?? []) {
    if (!matches(String(matcher.options), name)) continue
    for (const { id, value } of properties) {
      if (id.startsWith('custom.')) custom[id.slice('custom.'.length)] = value
      else config[id] = value
    }
  }
  return { name: String(config['displayName'] ?? name), config: config as FieldConfig, custom }
}

export interface Shown {
  readonly text: string
  readonly color: string
}

type Result = { readonly text?: string; readonly color?: string } | undefined

const resultOf = (mapping: ValueMapping, value: number | string): Result => {
  if (mapping.type === 'value') return mapping.options[String(value)]
  if (mapping.type !== 'range' || typeof value !== 'number') return undefined
  const { from, to, result } = mapping.options
  return value >= (from ?? Number.NEGATIVE_INFINITY) && value <= (to ?? Number.POSITIVE_INFINITY)
    ? result
    : undefined
}

const mapped = (mappings: readonly ValueMapping[], value: number | string): Result =>
  mappings.map((mapping) => resultOf(mapping, value)).find((result) => result !== undefined)

const thresholdColor = ({ config }: Field, value: number): string => {
  const steps = config.thresholds?.steps ?? []
  const step = steps.findLast((candidate) => candidate.value === null || value >= candidate.value)
  return color(step?.color ?? 'text')
}

/** Text and colour of a value. Mappings take precedence over the fixed colour, and that over thresholds. */
export function show(field: Field, value: number | string): Shown {
  const { unit, decimals, mappings = [], color: own } = field.config
  const result = mapped(mappings, value)
  const fixed = own?.mode === 'fixed' && own.fixedColor ? color(own.fixedColor) : undefined
  const plain = typeof value === 'string' ? 'transparent' : thresholdColor(field, value)
  return {
    text: result?.text ?? (typeof value === 'string' ? value : format(value, unit, decimals)),
    color: result?.color ? color(result.color) : (fixed ?? plain),
  }
}
