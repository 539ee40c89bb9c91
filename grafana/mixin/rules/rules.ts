import { type AlertingConfig, DEFAULT_ALERTING } from '../../../src/alerting/config.ts'
import { resolve } from '../../../src/alerting/references.ts'
import { ruleFiles } from '../../../src/alerting/rules.ts'
import type { RuleSources } from '../../../src/alerting/sources.ts'
import { scaleDuration, scaleExpression } from '../promql/duration.ts'
import { DEFAULT_VALUES } from '../settings.ts'
import { accessGroup } from './groups/access.ts'
import { capacityGroup } from './groups/capacity.ts'
import { disksGroup } from './groups/disks.ts'
import { exporterGroup } from './groups/exporter.ts'
import { healthGroup } from './groups/health.ts'
import { RECORDING_GROUPS } from './groups/recording.ts'
import type { AlertGroup } from './groups/rule.ts'
import { serviceGroup } from './groups/service.ts'

/** Groups of alerts by component, those about the exporter last. Their expressions have references to settings. */
const GROUPS: readonly AlertGroup[] = [
  healthGroup,
  capacityGroup,
  disksGroup,
  serviceGroup,
  accessGroup,
  exporterGroup,
]

/** The sources of all rules, with references to settings. */
export const RULE_SOURCES: RuleSources = { interval: '1m', recording: RECORDING_GROUPS, alerting: GROUPS }

/** The groups of alerts with the default settings. */
export const ALERT_GROUPS: readonly AlertGroup[] = resolve(GROUPS, DEFAULT_VALUES)

const FOLDER = 'deploy/prometheus/rules'

interface RuleOptions {
  /** Multiplies every duration: `for`, `keep_firing_for`, ranges, offsets and the interval. 1/60 for tests. */
  readonly scale?: number
  /** With a scale, settings of single systems are not applied. */
  readonly config?: Partial<AlertingConfig>
}

export interface RenderedFile {
  readonly path: string
  readonly text: string
}

const scaled = ({ interval, recording, alerting }: RuleSources, scale: number): RuleSources => ({
  interval: scaleDuration(interval, scale),
  recording: recording.map(({ name, recordings }) => ({
    name,
    recordings: recordings.map((rule) => ({ ...rule, expr: scaleExpression(rule.expr, scale) })),
  })),
  alerting: alerting.map((group) => ({
    ...group,
    alerts: group.alerts.map((alert) => ({
      ...alert,
      expr: scaleExpression(alert.expr, scale),
      ...(alert.for && { for: scaleDuration(alert.for, scale) }),
      ...(alert.keepFiringFor && { keepFiringFor: scaleDuration(alert.keepFiringFor, scale) }),
    })),
  })),
})

/** The rule files, by default with the default settings; paths are relative to the root of the repository. */
export const renderRules = ({ scale = 1, config = {} }: RuleOptions = {}): RenderedFile[] => {
  const settings = { ...DEFAULT_ALERTING, ...config }
  // Scaling parses the expressions, so references are resolved before.
  const sources =
    scale === 1
      ? RULE_SOURCES
      : scaled(resolve(RULE_SOURCES, { ...DEFAULT_VALUES, ...settings.values }), scale)
  return ruleFiles(sources, DEFAULT_VALUES, settings).map(({ name, text }) => ({
    path: `${FOLDER}/${name}`,
    text,
  }))
}
