import type { AlertingConfig, Override, Tuning } from '../../alerting/config.ts'
import { defaultsOf, type PackagedRules } from '../../alerting/package_files.ts'
import type { SettingValues } from '../../alerting/references.ts'
import { alertsOf, keyOf, type Scope, type SettingSource, scopeOf } from '../../alerting/sources.ts'

interface Found {
  /** Within the section. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

export function alertingProblems(
  config: AlertingConfig,
  rules: PackagedRules,
  systems: readonly string[] | undefined,
): Found[] {
  const before = { ...defaultsOf(rules), ...config.values }
  return [
    ...levelProblems(config.values, before, rules),
    ...config.overrides.flatMap((override, index) =>
      [
        ...subjectProblems(override, index, config.overrides, systems),
        ...scopeProblems(override, rules),
        ...levelProblems(
          override.values,
          { ...inherited(override, config, before), ...override.values },
          rules,
        ),
      ].map(({ path, message }) => ({ path: ['overrides', index, ...path], message })),
    ),
  ]
}

/** The values that an override starts from. */
function inherited(
  { system, pool }: Override,
  { overrides }: AlertingConfig,
  before: SettingValues,
): SettingValues {
  const ofSystem = overrides.find((other) => other.system === system && other.pool === undefined)
  return pool === undefined ? before : { ...before, ...ofSystem?.values }
}

function subjectProblems(
  { system, pool }: Override,
  index: number,
  overrides: readonly Override[],
  systems: readonly string[] | undefined,
): Found[] {
  const first = overrides.findIndex((other) => other.system === system && other.pool === pool)
  const isUnknown = systems !== undefined && !systems.includes(system)
  return [
    ...(first === index ? [] : [{ path: [], message: `overrides[${first}] has the same system and pool` }]),
    ...(isUnknown ? [{ path: ['system'], message: 'there is no system of this name' }] : []),
  ]
}

const WIDTH: Readonly<Record<Scope, number>> = { all: 0, system: 1, pool: 2 }

function scopeProblems(override: Override, { settings, sources }: PackagedRules): Found[] {
  const needed = override.pool === undefined ? 'system' : 'pool'
  const message = `cannot differ by ${needed}`
  const isTooWide = (source: { readonly scope?: Scope } = {}) => WIDTH[scopeOf(source)] < WIDTH[needed]
  const alerts = alertsOf(sources)
  const isAboutMore = (name: string) => isTooWide(alerts.find(({ alert }) => alert === name))
  const found: (string | number)[][] = [
    ...settingsIn(override.values).flatMap((name) =>
      isTooWide(settings[name]) ? [['thresholds', keyOf(name)]] : [],
    ),
    ...waitsIn(override).flatMap(([key, name]) => (isAboutMore(name) ? [[key, name]] : [])),
    ...override.disabled.flatMap((name, index) => (isAboutMore(name) ? [['disabled', index]] : [])),
  ]
  return found.map((path) => ({ path, message }))
}

const waitsIn = ({ for: waits, keepFiringFor }: Tuning) =>
  Object.entries({ for: waits, keep_firing_for: keepFiringFor }).flatMap(([key, durations]) =>
    Object.keys(durations).map((name) => [key, name] as const),
  )

const settingsIn = (values: SettingValues): string[] => [
  ...new Set(Object.keys(values).map((path) => path.replace(/\..*$/, ''))),
]

/** Settings whose critical level would be reached before the warning. */
function levelProblems(own: SettingValues, all: SettingValues, { settings }: PackagedRules): Found[] {
  return settingsIn(own).flatMap((name) => {
    const setting = settings[name]
    return setting === undefined || inOrder(name, setting, all)
      ? []
      : [{ path: ['thresholds', keyOf(name)], message: 'critical is reached before warning' }]
  })
}

function inOrder(name: string, setting: SettingSource, values: SettingValues): boolean {
  if ('value' in setting) return true
  const [warning = 0, critical = 0] = [values[`${name}.warning`], values[`${name}.critical`]]
  return setting.warning < setting.critical ? warning <= critical : warning >= critical
}
