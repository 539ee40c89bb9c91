import { stringify } from 'yaml'
import { resolve, type Values } from './references.ts'
import type { AlertGroupSource, AlertSource, RuleSources } from './sources.ts'

/** What users set. */
export interface RuleSettings {
  /** Values of all settings by path. */
  readonly values: Values
  /** Address of `docs/alerts.md`, without an anchor; undefined: alerts have no `runbook_url`. */
  readonly runbookBaseUrl?: string | undefined
  /** Root URL of Grafana, without a slash at its end; undefined: alerts have no `dashboard_url`. */
  readonly grafanaUrl?: string | undefined
}

/** A file to be written; the name has no folder. */
export interface RuleFile {
  readonly name: string
  readonly text: string
}

const HEADER =
  '# Generated: do not edit. `sds-exporter rules` writes this file with other thresholds and links.\n'

/** The anchor of the alert's heading in docs/alerts.md, as GitHub makes it. */
export const anchorOf = (alert: string): string => alert.toLowerCase()

/** The files with the recording rules and with the alerts. */
export function renderRuleFiles(sources: RuleSources, settings: RuleSettings): RuleFile[] {
  const { interval, recording, alerting } = resolve(sources, settings.values)
  const recordings = [{ name: recording.name, interval, rules: recording.recordings }]
  const alerts = alerting.map((group) => ({
    name: group.name,
    interval,
    rules: group.alerts.map((alert) => alertRule(alert, group, settings)),
  }))
  return [ruleFile('sds-recording.yml', recordings), ruleFile('sds-alerts.yml', alerts)]
}

function alertRule(alert: AlertSource, { component }: AlertGroupSource, settings: RuleSettings) {
  const { runbookBaseUrl, grafanaUrl } = settings
  return {
    alert: alert.alert,
    expr: alert.expr,
    ...(alert.for && { for: alert.for }),
    ...(alert.keepFiringFor && { keep_firing_for: alert.keepFiringFor }),
    labels: { severity: alert.severity, component },
    annotations: {
      summary: alert.summary,
      description: alert.description,
      ...(runbookBaseUrl && { runbook_url: `${runbookBaseUrl}#${anchorOf(alert.alert)}` }),
      ...(grafanaUrl && { dashboard_url: `${grafanaUrl}${alert.dashboard}` }),
    },
  }
}

function ruleFile(name: string, groups: unknown): RuleFile {
  return { name, text: HEADER + stringify({ groups }, { lineWidth: 0 }) }
}
