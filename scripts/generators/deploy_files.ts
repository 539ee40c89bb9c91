import { stringify } from 'yaml'
import { buildDashboards, type RenderedFile } from '../../grafana/mixin/dashboards/build.ts'
import { INHIBITIONS, inhibitRule, renderInhibition } from '../../grafana/mixin/rules/inhibition.ts'
import { RULE_SOURCES } from '../../grafana/mixin/rules/rules.ts'
import { DEFAULT_VALUES } from '../../grafana/mixin/settings.ts'
import { DEFAULT_ALERTING } from '../../src/alerting/config.ts'
import type { Dashboard } from '../../src/alerting/dashboards.ts'
import { kubernetesObjects } from '../../src/alerting/kubernetes.ts'
import { ruleContents } from '../../src/alerting/rules.ts'

/** Contains only generated files. */
export const KUBERNETES_FOLDER = 'deploy/kubernetes/monitoring/generated'

const INHIBITION = 'deploy/prometheus/alertmanager-inhibition.yml'

/** Alerts of one pool with the same name form one notification. The receiver is to be configured by the user. */
const ROUTING = {
  route: {
    receiver: 'none',
    group_by: ['alertname', 'system', 'pool'],
    group_wait: '30s',
    group_interval: '5m',
    repeat_interval: '12h',
  },
  receivers: [{ name: 'none' }],
}

/** Configuration of the Alertmanager of the compose stack. It has no receiver that sends notifications. */
export function composeAlertmanager(): RenderedFile {
  const inhibit_rules = INHIBITIONS.map(inhibitRule)
  return {
    path: 'deploy/compose/alertmanager.yml',
    text: `# Generated from ${INHIBITION} by \`npm run generate\`: do not edit.\n${stringify({ ...ROUTING, inhibit_rules }, { lineWidth: 0 })}`,
  }
}

/** Rules and dashboards as objects, and the kustomization that lists them. */
export function kubernetesMonitoring(): readonly RenderedFile[] {
  const rules = ruleContents(RULE_SOURCES, DEFAULT_VALUES, DEFAULT_ALERTING)
  const dashboards = buildDashboards() as readonly unknown[] as readonly Dashboard[]
  return kubernetesObjects(rules, renderInhibition().text, dashboards).map(({ name, text }) => ({
    path: `${KUBERNETES_FOLDER}/${name}`,
    text,
  }))
}
