import { z } from 'zod'
import type { AlertingConfig, Override, Tuning } from '../alerting/config.ts'
import { defaultsOf, type PackagedRules } from '../alerting/package_files.ts'
import type { SettingValues } from '../alerting/references.ts'
import {
  alertsOf,
  CLUSTER_HIDE,
  CLUSTER_PATH,
  keyOf,
  MAX_SETTING_SECONDS,
  type RuleSources,
  type Scope,
  type SettingSource,
  type SettingSources,
  type SettingUnit,
  scopeOf,
  unitOf,
} from '../alerting/sources.ts'
import { MS_PER_SECOND } from '../time_units.ts'
import { labelsSchema } from './values/labels_schema.ts'
import { typeMessage } from './values/schema_problems.ts'
import { DURATION_EXPECTED, duration, flag, numeric, parseDuration, percent } from './values/units.ts'
import { httpUrl } from './values/urls.ts'

const wait = z
  .string(DURATION_EXPECTED)
  .trim()
  .refine((text) => parseDuration(text) !== undefined, DURATION_EXPECTED)

function alertsKeys(sources: RuleSources) {
  const names = alertsOf(sources).map(({ alert }) => alert)
  const durations = z
    .strictObject(
      Object.fromEntries(names.map((name) => [name, wait.optional()])),
      typeMessage('expected durations by names of alerts'),
    )
    .prefault({})
  return {
    for: durations,
    keep_firing_for: durations,
    disabled: z
      .array(z.enum(names, 'there is no alert of this name'), 'expected a list of names of alerts')
      .prefault([]),
  }
}

const NUMBERS = {
  Seconds: duration.transform((ms) => ms / MS_PER_SECOND),
  Ratio: numeric.refine((value) => value >= 0 && value <= 1, 'expected a ratio from 0 to 1'),
  Percent: percent,
  Count: numeric.refine((value) => value >= 0, 'must not be negative'),
} as const satisfies Record<SettingUnit, z.ZodType<number>>

/** Prometheus refuses ranges of zero, of a part of a second, and of centuries. */
const range = (above: number) =>
  NUMBERS.Seconds.refine(
    (seconds) => Number.isInteger(seconds) && seconds > above && seconds <= MAX_SETTING_SECONDS,
    `must be whole seconds, more than ${above}s and at most ${MAX_SETTING_SECONDS / 86_400}d`,
  )

/** Values of settings by the keys of users; the result has them by path. */
function thresholdsSchema(settings: SettingSources) {
  const keys = Object.entries(settings).map(([name, setting]) => [
    keyOf(name),
    settingSchema(name, setting).optional(),
  ])
  const shape = Object.fromEntries(keys) as Record<string, z.ZodOptional<z.ZodType<SettingValues>>>
  return z
    .strictObject(shape, typeMessage('expected a mapping of thresholds'))
    .transform((file): SettingValues => Object.assign({}, ...Object.values(file)))
}

function settingSchema(name: string, setting: SettingSource): z.ZodType<SettingValues> {
  const number = NUMBERS[unitOf(name)]
  if ('value' in setting && setting.rangeAbove !== undefined)
    return range(setting.rangeAbove).transform((value) => ({ [name]: value }))
  if ('value' in setting) return number.transform((value) => ({ [name]: value }))
  return z
    .strictObject(
      { warning: number.optional(), critical: number.optional() },
      typeMessage('expected a mapping with the keys warning and critical'),
    )
    .transform(({ warning, critical }) => ({
      ...(warning !== undefined && { [`${name}.warning`]: warning }),
      ...(critical !== undefined && { [`${name}.critical`]: critical }),
    }))
}

const filled = z.string('expected text').min(1, 'must not be empty')
const job = filled.regex(/^[\w./:-]+$/, 'may contain letters, digits and _ . / : - only')
/** Labels that the rules set, beside those of the metrics. */
const RULE_LABELS = ['alertname', 'severity', 'component']
const labels = labelsSchema.superRefine((own, context) => {
  for (const name of RULE_LABELS.filter((label) => label in own))
    context.addIssue({ code: 'custom', message: 'the rules set this label', path: [name] })
})
const link = httpUrl('everybody who sees an alert sees its links')

/** @param systems names of the systems in the same file; undefined if it has none */
export function alertingSchema(
  rules: PackagedRules,
  systems: readonly string[] | undefined,
): z.ZodType<AlertingConfig> {
  const tuning = { thresholds: thresholdsSchema(rules.settings).prefault({}), ...alertsKeys(rules.sources) }
  const override = z
    .strictObject(
      { system: filled, pool: filled.optional(), ...tuning },
      typeMessage('expected a mapping with the key system'),
    )
    .transform(({ system, pool, ...file }) => ({ system, pool, ...tuningOf(file) }))
  const section = z
    .strictObject(
      {
        runbook_base_url: link.optional(),
        grafana_url: link.optional(),
        job: job.optional(),
        show_cluster: flag.optional(),
        labels: labels.prefault({}),
        ...tuning,
        overrides: z.array(override, 'expected a list of overrides').prefault([]),
      },
      typeMessage('expected a mapping'),
    )
    .transform(({ job, show_cluster, labels, overrides, ...file }): AlertingConfig => {
      const tuning = tuningOf(file)
      return {
        runbookBaseUrl: file.runbook_base_url,
        grafanaUrl: file.grafana_url,
        labels,
        ...tuning,
        values: {
          ...tuning.values,
          ...(job !== undefined && { job }),
          ...(show_cluster && { [CLUSTER_PATH]: CLUSTER_HIDE.shown }),
        },
        overrides,
      }
    })
  return section.superRefine((config, context) => {
    for (const { path, message } of alertingProblems(config, rules, systems)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
}

interface TuningKeys extends Pick<Tuning, 'for' | 'disabled'> {
  readonly thresholds: Tuning['values']
  readonly keep_firing_for: Tuning['keepFiringFor']
}

function tuningOf({ thresholds, keep_firing_for, for: waits, disabled }: TuningKeys): Tuning {
  return { values: thresholds, for: waits, keepFiringFor: keep_firing_for, disabled }
}

interface Found {
  /** Within the section. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

function alertingProblems(
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
