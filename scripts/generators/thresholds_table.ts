import { DEFAULT_LIMITS, DEFAULT_THRESHOLDS } from '../../grafana/mixin/thresholds.ts'
import {
  keyOf,
  type Scope,
  type SettingSource,
  type SettingSources,
  scopeOf,
  unitOf,
} from '../../src/alerting/sources.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { pageWith } from '../markdown/page.ts'

const SETTINGS: SettingSources = { ...DEFAULT_THRESHOLDS, ...DEFAULT_LIMITS }
const HEAD = ['Key', 'Warning', 'Critical', 'What', 'May differ by']
const SCOPES: Readonly<Record<Scope, string>> = { all: '', system: 'system', pool: 'system, pool' }

/** docs/alerting.md with the table of the thresholds and their defaults. */
export const alertingPage = () =>
  pageWith('docs/alerting.md', { thresholds: markdownTable(HEAD, Object.entries(SETTINGS).map(row)) })

const row = ([name, setting]: [string, SettingSource]): string[] => {
  const value = (number: number) => code(valueText(name, number))
  const levels =
    'value' in setting ? [value(setting.value), ''] : [value(setting.warning), value(setting.critical)]
  return [code(keyOf(name)), ...levels, setting.about, SCOPES[scopeOf(setting)]]
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/** A value as the configuration has it. */
function valueText(name: string, value: number): string {
  if (unitOf(name) !== 'Seconds') return String(value)
  const [unit, seconds] = UNITS.find(([, size]) => value % size === 0) ?? ['ms', 0.001]
  return `${Math.round(value / seconds)}${unit}`
}
