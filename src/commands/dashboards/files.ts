import type { AlertingConfig } from '../../alerting/config.ts'
import { type Dashboard, dashboardText } from '../../alerting/dashboards.ts'
import { dashboardsWith } from '../../alerting/written_files.ts'

/** A dashboard of the package with the settings of the user. */
export interface DashboardFile {
  /** `sds-fleet.json` */
  readonly name: string
  readonly text: string
  readonly dashboard: Dashboard
}

/** All dashboards, sorted by file name. */
export const dashboardFiles = (config: AlertingConfig): DashboardFile[] =>
  dashboardsWith(config).map((dashboard) => ({
    name: `${dashboard.uid}.json`,
    text: dashboardText(dashboard),
    dashboard,
  }))
