import type { AlertingConfig } from './config.ts'
import { withOwnLimits } from './limit_lines.ts'
import { type Pointers, withTexts } from './pointers.ts'
import { resolve, type Values } from './references.ts'
import { withRunbookLinks } from './runbook_links.ts'

/** A dashboard in Grafana's classic JSON model. */
export type Dashboard = { readonly uid: string; readonly title: string } & Readonly<Record<string, unknown>>

/** A dashboard with the default settings, and the texts of it that depend on settings. */
export interface DashboardSource {
  readonly dashboard: Dashboard
  readonly pointers: Pointers
}

/** The dashboard with the settings of users. */
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
