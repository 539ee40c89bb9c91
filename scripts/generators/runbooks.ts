import { readFileSync } from 'node:fs'
import { CONDITIONS } from '../../grafana/mixin/conditions.ts'
import { milliseconds } from '../../grafana/mixin/promql/duration.ts'
import { type ExpectedAlert, FAULTS } from '../../grafana/mixin/rules/faults.ts'
import type { Alert, AlertGroup } from '../../grafana/mixin/rules/groups/rule.ts'
import { ORDINARY_EVENTS } from '../../grafana/mixin/rules/ordinary_events.ts'
import { ALERT_GROUPS, type RenderedFile } from '../../grafana/mixin/rules/rules.ts'
import { DEFAULT_NUMBERS, MEASURES } from '../../grafana/mixin/settings.ts'
import { anchorOf } from '../../src/alerting/rules.ts'
import { counted } from '../../src/text.ts'
import { code, markdownTable } from '../markdown/markdown.ts'

/** Text of the runbooks: one Markdown file per component with one section per alert. All else is from the rules. */
const SOURCES = new URL('../../docs/runbooks/', import.meta.url)

/** Sections of Markdown by their heading of the second level, without it. */
export const sectionsOf = (markdown: string): ReadonlyMap<string, string> =>
  new Map(
    markdown
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf('\n')
        return [section.slice(0, end).trim(), section.slice(end).trim()]
      }),
  )

/** The prose on the alerts of one component. */
export const proseOf = (component: string): ReadonlyMap<string, string> =>
  sectionsOf(readFileSync(new URL(`${component}.md`, SOURCES), 'utf8'))

const MINUTE = 60
const TIMES = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [MINUTE, 'minute'],
] as const

/** 1209600 as "14 days", 0.05 as "50 ms". */
const duration = (seconds: number): string => {
  if (seconds < 1) return `${seconds * 1000} ms`
  const [size, name] = TIMES.find(([unit]) => seconds % unit === 0) ?? [1, 'second']
  return counted(seconds / size, name)
}

/** A value with its unit, which is the end of the setting's name. */
const worded = (name: string, value: number): string => {
  if (name.endsWith('Ratio')) return `${Number((value * 100).toFixed(6))} %`
  return name.endsWith('Seconds') ? duration(value) : String(value)
}

/** What the status page advises under the condition of an alert, as a sentence. @throws without such a condition */
const adviceOf = (name: string): string => {
  const entry = Object.entries(CONDITIONS).find(([alert]) => alert === name)
  if (entry === undefined) throw new Error(`${name} has no advice in grafana/mixin/conditions.ts`)
  const [, { advice }] = entry
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`
}

const NUMBERS: Readonly<Record<string, number>> = { ...DEFAULT_NUMBERS, ...MEASURES }

/**
 * Replaces the placeholders of a runbook: `{usedRatio.warning}` by a setting, `{for}` by that of the alert, `{advice}` or
 * `{advice.SdsCapacityHigh}` by the advice of the status page. @throws for a name that is none of them
 */
export const filledIn = (prose: string, { alert, for: wait }: Alert): string =>
  prose.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (all, name: string, part?: string) => {
    if (name === 'advice') return adviceOf(part ?? alert)
    if (name === 'for' && wait !== undefined) return duration(milliseconds(wait) / 1000)
    const value = NUMBERS[part === undefined ? name : `${name}.${part}`]
    if (value === undefined) throw new Error(`${alert}: no setting or duration for ${all}`)
    return worded(name, value)
  })

const COMPONENT_TITLES = {
  health: 'Health of the nodes',
  capacity: 'Capacity and forecasts',
  disks: 'Disks',
  service: 'Service to users',
  system: 'What the system reports about itself',
  background: 'Background work',
  replication: 'Replication to other sites',
  namespaces: 'Namespaces',
  access: 'Access to the API',
  exporter: 'The exporter and its polls',
} as const satisfies Record<AlertGroup['component'], string>

const INTRODUCTION = `# Alerts and what to do

All alerts of \`deploy/prometheus/rules/sds-alerts.yml\`, each with its runbook.

\`critical\` is for the person on call, \`warning\` for a ticket today, \`info\` for the next working day. The
thresholds are defaults from common practice, not from the documentation of the storage system.
[Alerting](alerting.md) describes how to change thresholds and waiting times, to disable alerts, and to add links to this
page and to the dashboards. In the queries, replace \`SYSTEM\`, \`POOL\`, \`NODE\` and the other words in capitals by the labels of the alert.

\`deploy/prometheus/alertmanager-inhibition.yml\` has rules by which the alert of a cause inhibits those of its
consequences; add them to the configuration of your Alertmanager. They are also \`AlertmanagerConfig\` in
\`deploy/kubernetes/monitoring\` ([Kubernetes](operations.md#kubernetes)). Each alert has one name and one severity, so
that the rules of kube-prometheus, by which a critical alert inhibits warnings with the same name, do not inhibit
warnings of other pools. Two exporters that poll the same system do not duplicate alerts.

Planned removals of systems and pools are silenced as in [SdsSystemVanished](#sdssystemvanished) and
[SdsPoolVanished](#sdspoolvanished).

`

const NOTE =
  '<!-- Generated by `npm run generate` from grafana/mixin/rules and docs/runbooks: do not edit. -->\n\n'

const linkTo = (name: string): string => `[${name}](#${anchorOf(name)})`

const indexRows = ({ alerts }: AlertGroup): string[][] =>
  alerts.map(({ alert, severity, summary }) => [linkTo(alert), severity, summary])

const index = (): string =>
  ALERT_GROUPS.map(
    (group) =>
      `**${COMPONENT_TITLES[group.component]}**\n\n${markdownTable(['Alert', 'Severity', 'What'], indexRows(group))}`,
  ).join('\n')

const fact = ({ severity, for: wait, keepFiringFor, expr }: Alert): string => {
  const waits = wait === undefined ? '' : ` for ${code(wait)}`
  const keeps = keepFiringFor === undefined ? '' : `, and for ${code(keepFiringFor)} after its last result`
  return `Fires as ${code(severity)} when this returns a result${waits}${keeps}:\n\n\`\`\`promql\n${expr}\n\`\`\`\n`
}

const textOf = (alert: Alert, prose: string | undefined): string => {
  if (alert.escalates !== undefined)
    return `The critical level of ${linkTo(alert.escalates)}, which has its runbook.`
  if (prose === undefined) throw new Error(`${alert.alert} has no section in docs/runbooks`)
  return filledIn(prose, alert)
}

/** The anchor is for links from tables in Grafana, which cannot write the name in lower case. */
const section = (alert: Alert, prose: string | undefined): string =>
  `### ${alert.alert}\n\n<a id="${alert.alert}"></a>\n\n${alert.summary}\n\n${textOf(alert, prose)}\n\n${fact(alert)}`

const sections = (group: AlertGroup): string => {
  const prose = proseOf(group.component)
  const parts = group.alerts.map((alert) => section(alert, prose.get(alert.alert)))
  return `## ${COMPONENT_TITLES[group.component]}\n\n${parts.join('\n')}`
}

const FAULTS_INTRODUCTION = `## Which fault raises which alerts

After all waiting times, with the inhibition rules: the alerts that notify, and those that are inhibited. A test plays
each row with an emulated storage system and an exporter, and evaluates all rules.

`

const namesOf = (alerts: readonly ExpectedAlert[]): string =>
  alerts.length === 0 ? '–' : [...new Set(alerts.map(({ alert }) => linkTo(alert)))].join(', ')

const faults = (): string => {
  const rows = FAULTS.map(({ what, alerts }) => {
    const notified = alerts.filter((alert) => alert.inhibited === undefined)
    return [what, namesOf(notified), namesOf(alerts.filter((alert) => alert.inhibited))]
  })
  return FAULTS_INTRODUCTION + markdownTable(['Fault', 'Alerts', 'Inhibited'], rows)
}

const ORDINARY_INTRODUCTION = `## What raises alerts without a fault

A test plays each row over 14 to 30 days of an emulated system and its exporters, and evaluates all rules. None of them pages the
person on call.

`

const ordinary = (): string => {
  const rows = ORDINARY_EVENTS.map(({ what, alerts }) => [what, alerts.map(linkTo).join(', ') || '–'])
  return ORDINARY_INTRODUCTION + markdownTable(['Event', 'Alerts'], rows)
}

/** docs/alerts.md. @throws when an alert has no prose */
export const renderRunbooks = (): RenderedFile[] => [
  {
    path: 'docs/alerts.md',
    text: `${NOTE}${INTRODUCTION}${index()}\n${faults()}\n${ordinary()}\n${ALERT_GROUPS.map(sections).join('\n')}`,
  },
]
