import { stringify } from 'yaml'
import type { Dashboard } from './dashboards.ts'
import type { RuleContents, RuleFile, WrittenFile } from './rules.ts'

const HEADER =
  '# Generated: do not edit. `sds-exporter rules --kubernetes` writes this file with other thresholds and links.\n'
const LABELS = { 'app.kubernetes.io/name': 'sds-exporter', 'app.kubernetes.io/part-of': 'sds-exporter' }
/** The folder of Grafana to which the sidecar adds the dashboards. */
const FOLDER = 'Storage'

/** Rules as objects of the Prometheus operator, dashboards as ConfigMaps, and the kustomization that lists them. */
export function kubernetesObjects(rules: RuleContents, dashboards: readonly Dashboard[]): WrittenFile[] {
  const objects = [
    ...Object.entries(rules).map(([name, content]) =>
      manifest(`rule-${name}`, prometheusRule(name, content)),
    ),
    ...sorted(dashboards).map((dashboard) => manifest(`dashboard-${dashboard.uid}`, configMap(dashboard))),
  ]
  const kustomization = manifest('kustomization', {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: objects.map(({ name }) => name),
  })
  return [kustomization, ...objects]
}

const sorted = (dashboards: readonly Dashboard[]): Dashboard[] =>
  dashboards.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))

function prometheusRule(name: string, content: RuleFile): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, labels: LABELS },
    spec: content,
  }
}

/**
 * A ConfigMap for the sidecar of Grafana's Helm chart. The JSON is minified, because `kubectl apply` stores a copy in an
 * annotation, and annotations are limited to 256 KiB.
 */
function configMap(dashboard: Dashboard): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `dashboard-${dashboard.uid}`,
      labels: { ...LABELS, grafana_dashboard: '1' },
      annotations: { grafana_folder: FOLDER },
    },
    data: { [`${dashboard.uid}.json`]: JSON.stringify(dashboard) },
  }
}

function manifest(name: string, object: object): WrittenFile {
  return { name: `${name}.yaml`, text: HEADER + stringify(object, { lineWidth: 0 }) }
}
