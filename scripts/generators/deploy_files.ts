import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { renderDashboards } from '../../mixin/dashboards/build.ts'
import { type RenderedFile, renderRules } from '../../mixin/rules/rules.ts'
import { GRAFANA } from '../../mixin/settings.ts'

/** Contains only generated files. */
export const KUBERNETES_FOLDER = 'deploy/kubernetes/monitoring/generated'

const HEADER = (source: string) => `# Generated from ${source} by \`npm run generate\`: do not edit.\n`
const INHIBITION = 'deploy/prometheus/alertmanager-inhibition.yml'
const LABELS = { 'app.kubernetes.io/name': 'sds-exporter', 'app.kubernetes.io/part-of': 'sds-exporter' }

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
  const { inhibit_rules } = parse(readFileSync(new URL(`../../${INHIBITION}`, import.meta.url), 'utf8'))
  return {
    path: 'deploy/compose/alertmanager.yml',
    text: HEADER(INHIBITION) + stringify({ ...ROUTING, inhibit_rules }, { lineWidth: 0 }),
  }
}

/** Rules and dashboards as objects, and the kustomization that lists them. */
export function kubernetesMonitoring(): readonly RenderedFile[] {
  const objects = [...rules(), ...dashboards()]
  const kustomization = manifest('kustomization', 'the files beside it', {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: objects.map(({ path }) => path.replace(/^.*\//, '')),
  })
  return [kustomization, ...objects]
}

/** The rule files as objects of the Prometheus operator. */
function rules(): readonly RenderedFile[] {
  return renderRules().map(({ path, text }) => {
    const name = nameOf(path)
    return manifest(`rule-${name}`, path, {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name, labels: LABELS },
      spec: parse(text),
    })
  })
}

/**
 * One ConfigMap per dashboard, for the sidecar of Grafana's Helm chart. The JSON is minified, because `kubectl apply`
 * stores a copy in an annotation, and annotations are limited to 256 KiB.
 */
function dashboards(): readonly RenderedFile[] {
  return renderDashboards().map(({ path, text }) => {
    const name = nameOf(path)
    return manifest(`dashboard-${name}`, path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `dashboard-${name}`,
        labels: { ...LABELS, grafana_dashboard: '1' },
        annotations: { grafana_folder: GRAFANA.folder.title },
      },
      data: { [`${name}.json`]: JSON.stringify(JSON.parse(text)) },
    })
  })
}

function manifest(file: string, source: string, object: unknown): RenderedFile {
  return {
    path: `${KUBERNETES_FOLDER}/${file}.yaml`,
    text: HEADER(source) + stringify(object, { lineWidth: 0 }),
  }
}

/** `sds-fleet` of `grafana/dashboards/sds-fleet.json`. */
function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '')
}
