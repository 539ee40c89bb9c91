import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import type { AlertingConfig, Override, Subject, Tuning } from './config.ts'
import { resolve, type SettingValues } from './references.ts'
import { type AlertGroupSource, type AlertSource, type RuleSources, scopeOf } from './sources.ts'

/** A file to be written; the name has no folder. */
export interface WrittenFile {
  readonly name: string
  readonly text: string
}

export interface RuleFile {
  readonly groups: readonly {
    readonly name: string
    readonly interval: string
    readonly rules: readonly object[]
  }[]
}

export type RuleContents = Readonly<Record<string, RuleFile>>

/** The anchor of the alert in docs/alerts.md, and on the page of runbooks of an exporter. */
export const anchorOf = (alert: string): string => alert.toLowerCase()

/** The recording rules. They do not depend on settings that users change for some systems only. */
function recordingRules(sources: RuleSources, defaults: SettingValues, config: AlertingConfig): RuleFile {
  const { interval, recording } = resolve(sources, { ...defaults, ...config.values })
  return { groups: recording.map(({ name, recordings }) => ({ name, interval, rules: recordings })) }
}

/** The alerts that are not disabled. Groups without alerts are left out. */
function alertRules(sources: RuleSources, defaults: SettingValues, config: AlertingConfig): RuleFile {
  const groups = sources.alerting.map((group) => ({
    name: group.name,
    interval: sources.interval,
    rules: group.alerts
      .flatMap((alert) => variantsOf(alert, defaults, config))
      .map((variant) => alertRule(variant, group, config)),
  }))
  return { groups: groups.filter(({ rules }) => rules.length > 0) }
}

function alertRule(
  { alert, only, except }: Variant,
  { component }: AlertGroupSource,
  config: AlertingConfig,
) {
  const { runbookBaseUrl, grafanaUrl, labels } = config
  return {
    alert: alert.alert,
    expr: restricted(alert.expr, only, except),
    ...(alert.for && { for: alert.for }),
    ...(alert.keepFiringFor && { keep_firing_for: alert.keepFiringFor }),
    labels: { ...labels, severity: alert.severity, component, ...ruleLabels(only) },
    annotations: {
      summary: alert.summary,
      description: descriptionOf(alert),
      ...(runbookBaseUrl && { runbook_url: `${runbookBaseUrl}#${anchorOf(alert.alert)}` }),
      ...(grafanaUrl && { dashboard_url: `${grafanaUrl}${alert.dashboard}` }),
    },
  }
}

/** What, where and how much, and what to do first. */
export const descriptionOf = ({ description, advice }: AlertSource): string =>
  `${description} ${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`

const HEADER =
  '# Generated: do not edit. `sds-exporter rules` writes this file with other thresholds and links.\n'

export function ruleContents(
  sources: RuleSources,
  defaults: SettingValues,
  config: AlertingConfig,
): RuleContents {
  const contents = {
    'sds-recording': recordingRules(sources, defaults, config),
    'sds-alerts': alertRules(sources, defaults, config),
  }
  return Object.fromEntries(
    Object.entries(contents).map(([file, { groups }]) => [
      file,
      { groups: [infoGroup(file, sources), ...groups.flatMap(inParts)] },
    ]),
  )
}

/** The default limit of Mimir and Grafana Cloud. */
const MAX_GROUP_RULES = 20

/** The group, or groups with a number in their names. No rule needs that another one is evaluated before it. */
function inParts(group: RuleFile['groups'][number]): RuleFile['groups'] {
  const parts = Math.ceil(group.rules.length / MAX_GROUP_RULES)
  if (parts < 2) return [group]
  return Array.from({ length: parts }, (_, index) => ({
    ...group,
    name: `${group.name}-${index + 1}`,
    rules: group.rules.slice(index * MAX_GROUP_RULES, (index + 1) * MAX_GROUP_RULES),
  }))
}

const infoGroup = (file: string, { interval, info }: RuleSources) => ({
  name: `${file}-info`,
  interval,
  rules: [{ ...info, labels: { ...info.labels, file } }],
})

export function ruleFiles(
  sources: RuleSources,
  defaults: SettingValues,
  config: AlertingConfig,
): WrittenFile[] {
  return Object.entries(ruleContents(sources, defaults, config)).map(([name, content]) => ({
    name: `${name}.yml`,
    text: HEADER + stringify(content, { lineWidth: 0 }),
  }))
}

/** An alert with settings, and the systems and pools for which it has them. */
interface Variant {
  readonly alert: AlertSource
  /** Undefined: everything. */
  readonly only: Subject | undefined
  readonly except: readonly Subject[]
}

/** One variant for everything, and one for each system and pool that has other settings, unless it is disabled there. */
export function variantsOf(alert: AlertSource, defaults: SettingValues, config: AlertingConfig): Variant[] {
  const scope = scopeOf(alert)
  const overrides = config.overrides.filter(({ pool }) =>
    pool === undefined ? scope !== 'all' : scope === 'pool',
  )
  const systemOf = systemIn(overrides)
  const alertOf = (own: Override | undefined) => {
    const tunings = [config, own && systemOf(own), own].filter((one) => one !== undefined)
    return tuned(alert, defaults, tunings)
  }
  const different = overrides.filter((one) => !isDeepStrictEqual(alertOf(one), alertOf(systemOf(one))))
  // A pool is a part of its system where that has a variant of its own.
  const parts = Map.groupBy(different, systemIn(different))
  return [undefined, ...different].flatMap((whole) => {
    const own = alertOf(whole)
    const except = (parts.get(whole) ?? []).map(subjectOf)
    return own === undefined ? [] : [{ alert: own, only: whole && subjectOf(whole), except }]
  })
}

/** Finds the override for the whole system of a pool. */
function systemIn(overrides: readonly Override[]) {
  const systems = new Map(overrides.flatMap((one) => (one.pool === undefined ? [[one.system, one]] : [])))
  return ({ system, pool }: Subject) => (pool === undefined ? undefined : systems.get(system))
}

const subjectOf = ({ system, pool }: Override): Subject => ({ system, ...(pool !== undefined && { pool }) })

/** The alert with settings, of which later ones have precedence; undefined if it is disabled. */
export function tuned(
  alert: AlertSource,
  defaults: SettingValues,
  tunings: readonly Tuning[],
): AlertSource | undefined {
  if (tunings.some(({ disabled }) => disabled.includes(alert.alert))) return undefined
  const values = Object.assign({}, defaults, ...tunings.map((tuning) => tuning.values)) as SettingValues
  const last = (key: 'for' | 'keepFiringFor'): string | undefined =>
    tunings.map((tuning) => tuning[key][alert.alert]).findLast((text) => text !== undefined)
  const [wait, keep] = [last('for'), last('keepFiringFor')]
  return {
    ...resolve(alert, values),
    ...(wait !== undefined && { for: wait }),
    ...(keep !== undefined && { keepFiringFor: keep }),
  }
}

/** A text as PromQL and Prometheus' templates quote it. */
const quoted = (text: string): string => JSON.stringify(text)

/** A vector with one element that has the labels of the subject; `$` begins a group in a replacement. */
function labelled(vector: string, { system, pool }: Subject): string {
  const withLabel = (inner: string, label: string, value: string): string =>
    `label_replace(${inner}, "${label}", ${quoted(value.replaceAll('$', '$$$$'))}, "", "")`
  const ofSystem = withLabel(vector, 'system', system)
  return pool === undefined ? ofSystem : withLabel(ofSystem, 'pool', pool)
}

const labelsOf = ({ pool }: Subject): string => (pool === undefined ? 'system' : 'system,pool')

/** The part of a vector that is about one subject, or about all, without others. */
function restricted(expr: string, only: Subject | undefined, except: readonly Subject[]): string {
  const all = [
    ...(only === undefined ? [] : [`and on (${labelsOf(only)}) ${labelled('vector(1)', only)}`]),
    ...except.map((subject) => `unless on (${labelsOf(subject)}) ${labelled('vector(1)', subject)}`),
  ]
  return all.length === 0 ? expr : [`(\n${expr}\n)`, ...all].join('\n')
}

/**
 * The labels of the subject for a rule. Its result has them already; promtool refuses rules with the same name and
 * labels. Values of labels are templates.
 */
function ruleLabels(subject: Subject | undefined): Record<string, string> {
  const entries = Object.entries(subject ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll('{{', '{{ "{{" }}')]))
}
