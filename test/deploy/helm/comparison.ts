import { parse } from 'yaml'
import type { KubernetesObject, Mapping } from '../kubernetes/kustomize.ts'

/**
 * Where the chart and the kustomize manifests differ by design. Everything else is compared.
 *
 * | Chart | Kustomize | Reason |
 * | --- | --- | --- |
 * | labels of the release, in selectors, too | none | several releases can be in one namespace |
 * | names of rules and dashboards begin with that of the release | fixed names | the same |
 * | annotation with a digest of the configuration | digest in the name of the ConfigMap | both start a rollout |
 * | label `component` on further Services, which the ServiceMonitor leaves out | none | they have the same selector |
 * | labels on the ConfigMap of the configuration | none | kustomize 2 cannot set them |
 * | order of volumes and mounts | that of its patches | it has no meaning |
 * | no Namespace | Namespace | `helm install --create-namespace` |
 * | no Prometheus servers | in the overlay `probes` | they are an example |
 */
export function comparable(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects
    .filter(({ kind }) => kind !== 'Namespace')
    .filter(({ metadata }) => !/prometheus/.test(metadata.name))
    .map((object) => strip(withParsedConfig(object)) as KubernetesObject)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

export const keyOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`

const OF_RELEASE = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/version',
  'app.kubernetes.io/component',
  'helm.sh/chart',
  'checksum/config',
]
const COMPONENT = 'app.kubernetes.io/component'

/** Without what differs by design, and with one form of the names. */
function strip(value: unknown): unknown {
  if (typeof value === 'string') return strippedName(value)
  if (Array.isArray(value)) return value.map(strip)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, member]) =>
      !OF_RELEASE.includes(key) && !(key === 'matchExpressions' && leavesOutComponents(member)),
  )
  const members = kept.map(([key, member]) => [key, sortedByName(key, strip(member))] as const)
  return Object.fromEntries(members.filter(([key, member]) => !(key === 'annotations' && isEmpty(member))))
}

function sortedByName(key: string, value: unknown): unknown {
  if (key !== 'volumes' && key !== 'volumeMounts') return value
  const named = value as { readonly name: string }[]
  return named.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const leavesOutComponents = (expressions: readonly Mapping[]): boolean =>
  expressions.every(({ key, operator }) => key === COMPONENT && operator === 'NotIn')

const isEmpty = (value: unknown): boolean => Object.keys(value as object).length === 0

function strippedName(text: string): string {
  return text
    .replace(/^sds-exporter-dashboard-(\w+)$/, 'dashboard-sds-$1')
    .replace(/^sds-exporter-(alerts|recording|inhibition)$/, 'sds-$1')
    .replace(/^(sds-exporter-config)-[a-z0-9]{10}$/, '$1')
}

/** Key order and comments of the configuration file have no meaning. */
function withParsedConfig(object: KubernetesObject): KubernetesObject {
  const data = object['data'] as Readonly<Record<string, string>> | undefined
  const text = data?.['sds-exporter.yml']
  if (text === undefined) return object
  const { labels: _labels, ...metadata } = object.metadata
  return { ...object, metadata, data: { 'sds-exporter.yml': parse(text) } }
}
