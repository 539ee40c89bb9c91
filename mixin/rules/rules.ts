import { stringify } from 'yaml'
import { scaleDuration, scaleExpression } from '../promql/duration.ts'
import { RUNBOOKS } from '../settings.ts'
import { accessGroup } from './groups/access.ts'
import { capacityGroup } from './groups/capacity.ts'
import { disksGroup } from './groups/disks.ts'
import { exporterGroup } from './groups/exporter.ts'
import { healthGroup } from './groups/health.ts'
import { recordingGroup } from './groups/recording.ts'
import type { Alert, AlertGroup } from './groups/rule.ts'
import { serviceGroup } from './groups/service.ts'

/** Groups of alerts by component, those about the exporter last. */
export const ALERT_GROUPS: readonly AlertGroup[] = [
  healthGroup,
  capacityGroup,
  disksGroup,
  serviceGroup,
  accessGroup,
  exporterGroup,
]

const INTERVAL = '1m'
const FOLDER = 'deploy/prometheus/rules'
const HEADER = '# Generated from mixin/rules by `npm run generate`: do not edit.\n'

interface RuleOptions {
  /** Multiplies every duration: `for`, `keep_firing_for`, ranges, offsets and the interval. 1/60 for tests. */
  readonly scale?: number
}

export interface RenderedFile {
  readonly path: string
  readonly text: string
}

/** The anchor of the alert's heading in docs/alerts.md, as GitHub makes it. */
export const anchorOf = (alert: string): string => alert.toLowerCase()

const alertRule = (alert: Alert, group: AlertGroup, scale: number) => ({
  alert: alert.alert,
  expr: scaleExpression(alert.expr, scale),
  ...(alert.for && { for: scaleDuration(alert.for, scale) }),
  ...(alert.keepFiringFor && { keep_firing_for: scaleDuration(alert.keepFiringFor, scale) }),
  labels: { severity: alert.severity, component: group.component },
  annotations: {
    summary: alert.summary,
    description: alert.description,
    runbook_url: `${RUNBOOKS.baseUrl}#${anchorOf(alert.alert)}`,
    dashboard_url: alert.dashboard,
  },
})

const recordingGroups = (scale: number) => [
  {
    name: recordingGroup.name,
    interval: scaleDuration(INTERVAL, scale),
    rules: recordingGroup.recordings.map(({ record, expr }) => ({
      record,
      expr: scaleExpression(expr, scale),
    })),
  },
]

const alertGroups = (scale: number) =>
  ALERT_GROUPS.map((group) => ({
    name: group.name,
    interval: scaleDuration(INTERVAL, scale),
    rules: group.alerts.map((alert) => alertRule(alert, group, scale)),
  }))

const file = (name: string, groups: unknown): RenderedFile => ({
  path: `${FOLDER}/${name}`,
  text: HEADER + stringify({ groups }, { lineWidth: 0 }),
})

/** The rule files; paths are relative to the root of the repository. */
export const renderRules = ({ scale = 1 }: RuleOptions = {}): RenderedFile[] => [
  file('sds-recording.yml', recordingGroups(scale)),
  file('sds-alerts.yml', alertGroups(scale)),
]
