import { type AlertingConfig, DEFAULT_ALERTING } from '../../../src/alerting/config.ts'
import { resolve } from '../../../src/alerting/references.ts'
import { ruleFiles } from '../../../src/alerting/rules.ts'
import type { RuleSources } from '../../../src/alerting/sources.ts'
import { RULES_INFO } from '../promql/metrics.ts'
import { DEFAULT_VALUES, VERSION } from '../settings.ts'
import { accessGroup } from './groups/access.ts'
import { backgroundGroup } from './groups/background.ts'
import { capacityGroup } from './groups/capacity.ts'
import { disksGroup } from './groups/disks.ts'
import { exporterGroup } from './groups/exporter.ts'
import { healthGroup } from './groups/health.ts'
import { namespacesGroup } from './groups/namespaces.ts'
import { RECORDING_GROUPS } from './groups/recording.ts'
import { replicationGroup } from './groups/replication.ts'
import type { AlertGroup } from './groups/rule.ts'
import { serviceGroup } from './groups/service.ts'
import { systemGroup } from './groups/system.ts'

/** Groups of alerts by component, those about the exporter last. Their expressions have references to settings. */
const GROUPS: readonly AlertGroup[] = [
  healthGroup,
  capacityGroup,
  disksGroup,
  serviceGroup,
  systemGroup,
  backgroundGroup,
  replicationGroup,
  namespacesGroup,
  accessGroup,
  exporterGroup,
]

/** The sources of all rules, with references to settings. */
export const RULE_SOURCES: RuleSources = {
  interval: '1m',
  info: { record: RULES_INFO, expr: 'vector(1)', labels: { version: VERSION } },
  recording: RECORDING_GROUPS,
  alerting: GROUPS,
}

/** The groups of alerts with the default settings. */
export const ALERT_GROUPS: readonly AlertGroup[] = resolve(GROUPS, DEFAULT_VALUES)

const FOLDER = 'deploy/prometheus/rules'

export interface RenderedFile {
  readonly path: string
  readonly text: string
}

/** The rule files, by default with the default settings; paths are relative to the root of the repository. */
export const renderRules = (config: Partial<AlertingConfig> = {}): RenderedFile[] =>
  ruleFiles(RULE_SOURCES, DEFAULT_VALUES, { ...DEFAULT_ALERTING, ...config }).map(({ name, text }) => ({
    path: `${FOLDER}/${name}`,
    text,
  }))
