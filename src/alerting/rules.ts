import { stringify } from 'yaml'
import type { AlertingConfig } from './config.ts'
import { resolve, type Values } from './references.ts'
import type { AlertGroupSource, RuleSources } from './sources.ts'
import { restricted, ruleLabels } from './subjects.ts'
import { type Variant, variantsOf } from './variants.ts'

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

/** The anchor of the alert's heading in docs/alerts.md, as GitHub makes it. */
export const anchorOf = (alert: string): string => alert.toLowerCase()

/** The recording rules. They do not depend on settings that users change for some systems only. */
function recordingRules(sources: RuleSources, defaults: Values, config: AlertingConfig): RuleFile {
  const { interval, recording } = resolve(sources, { ...defaults, ...config.values })
  return { groups: recording.map(({ name, recordings }) => ({ name, interval, rules: recordings })) }
}

/** The alerts that are not disabled. Groups without alerts are left out. */
function alertRules(sources: RuleSources, defaults: Values, config: AlertingConfig): RuleFile {
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
      description: alert.description,
      ...(runbookBaseUrl && { runbook_url: `${runbookBaseUrl}#${anchorOf(alert.alert)}` }),
      ...(grafanaUrl && { dashboard_url: `${grafanaUrl}${alert.dashboard}` }),
    },
  }
}

const HEADER =
  '# Generated: do not edit. `sds-exporter rules` writes this file with other thresholds and links.\n'

export function ruleContents(sources: RuleSources, defaults: Values, config: AlertingConfig): RuleContents {
  const contents = {
    'sds-recording': recordingRules(sources, defaults, config),
    'sds-alerts': alertRules(sources, defaults, config),
  }
  return Object.fromEntries(
    Object.entries(contents).map(([file, { groups }]) => [
      file,
      { groups: [infoGroup(file, sources), ...groups] },
    ]),
  )
}

const infoGroup = (file: string, { interval, info }: RuleSources) => ({
  name: `${file}-info`,
  interval,
  rules: [{ ...info, labels: { ...info.labels, file } }],
})

export function ruleFiles(sources: RuleSources, defaults: Values, config: AlertingConfig): WrittenFile[] {
  return Object.entries(ruleContents(sources, defaults, config)).map(([name, content]) => ({
    name: `${name}.yml`,
    text: HEADER + stringify(content, { lineWidth: 0 }),
  }))
}
