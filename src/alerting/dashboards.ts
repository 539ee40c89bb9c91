import type { AlertingConfig } from './config.ts'
import { withOwnLimits } from './limit_lines.ts'
import { type Dashboard, type FieldOverride, withPanels } from './panels.ts'
import { type Pointers, resolve, type Values, withTexts } from './references.ts'

/** A dashboard with the default settings, and the texts of it that depend on settings. */
export interface DashboardSource {
  readonly dashboard: Dashboard
  readonly pointers: Pointers
}

export function tunedDashboard(
  { dashboard, pointers }: DashboardSource,
  defaults: Values,
  config: AlertingConfig,
): Dashboard {
  const template = withOwnLimits(withTexts(dashboard, pointers), config.overrides)
  const resolved = resolve(template, { ...defaults, ...config.values })
  const { runbookBaseUrl } = config
  return runbookBaseUrl === undefined ? resolved : withRunbookLinks(resolved, runbookBaseUrl)
}

export const dashboardText = (dashboard: object): string => `${JSON.stringify(dashboard, null, 2)}\n`

const COLUMN = 'alertname'

/** The dashboard with a link to the runbook on each name of an alert. @param base address of docs/alerts.md, without an anchor */
function withRunbookLinks(dashboard: Dashboard, base: string): Dashboard {
  // Grafana cannot write the name in lower case, so docs/alerts.md has anchors with the names as they are.
  const url = `${base}#$\{__data.fields.${COLUMN}}`
  const link = { id: 'links', value: [{ title: 'Runbook', url, targetBlank: true }] }
  const linked = ({ matcher, properties }: FieldOverride): FieldOverride =>
    matcher.options === COLUMN ? { matcher, properties: [...properties, link] } : { matcher, properties }
  return withPanels(dashboard, ({ fieldConfig, ...panel }) => ({
    ...panel,
    ...(fieldConfig && { fieldConfig: { ...fieldConfig, overrides: fieldConfig.overrides.map(linked) } }),
  }))
}
