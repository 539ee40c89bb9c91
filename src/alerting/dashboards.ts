import type { AlertingConfig } from './config.ts'
import { type Pointers, resolve, type SettingValues, withTexts } from './references.ts'

/** A dashboard with the default settings, and the texts of it that depend on settings. */
export interface DashboardSource {
  readonly dashboard: Dashboard
  readonly pointers: Pointers
}

/** The dashboard with the settings of all systems: a threshold in Grafana is the same for all series of a panel. */
export function tunedDashboard(
  { dashboard, pointers }: DashboardSource,
  defaults: SettingValues,
  config: AlertingConfig,
): Dashboard {
  const resolved = resolve(withTexts(dashboard, pointers), { ...defaults, ...config.values })
  const { runbookBaseUrl } = config
  return runbookBaseUrl === undefined ? resolved : withRunbookLinks(resolved, runbookBaseUrl)
}

export const dashboardText = (dashboard: object): string => `${JSON.stringify(dashboard, null, 2)}\n`

const COLUMN = 'alertname'

/** The dashboard with a link to the runbook on each name of an alert. @param base address of the runbooks, without an anchor */
function withRunbookLinks(dashboard: Dashboard, base: string): Dashboard {
  // Grafana cannot write the name in lower case, so the page of runbooks has anchors with the names as they are.
  const url = `${base}#$\{__data.fields.${COLUMN}}`
  const link = { id: 'links', value: [{ title: 'Runbook', url, targetBlank: true }] }
  const linked = ({ matcher, properties }: FieldOverride): FieldOverride =>
    matcher.options === COLUMN ? { matcher, properties: [...properties, link] } : { matcher, properties }
  return withPanels(dashboard, ({ fieldConfig, ...panel }) => ({
    ...panel,
    ...(fieldConfig && { fieldConfig: { ...fieldConfig, overrides: fieldConfig.overrides.map(linked) } }),
  }))
}

/** A dashboard in Grafana's classic JSON model. */
export type Dashboard = {
  readonly uid: string
  readonly title: string
  readonly panels?: readonly Panel[]
} & Readonly<Record<string, unknown>>

interface Panel {
  readonly panels?: readonly Panel[]
  readonly fieldConfig?: { readonly overrides: readonly FieldOverride[] }
}

interface FieldOverride {
  readonly matcher: { readonly id: string; readonly options?: unknown }
  readonly properties: readonly object[]
}

/** The dashboard or row with its panels changed, also those in rows. */
function withPanels<Part extends Pick<Panel, 'panels'>>(part: Part, change: (panel: Panel) => Panel): Part {
  const { panels } = part
  return panels === undefined
    ? part
    : { ...part, panels: panels.map((panel) => change(withPanels(panel, change))) }
}
