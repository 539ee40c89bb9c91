import { readdirSync, readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import type { AlertingConfig } from './config.ts'
import { type Dashboard, type DashboardSource, tunedDashboard } from './dashboards.ts'
import { type Pointers, type SettingValues, valuesOf } from './references.ts'
import { type RuleContents, type RuleFile, ruleContents, ruleFiles, type WrittenFile } from './rules.ts'
import {
  CLUSTER_HIDE,
  CLUSTER_PATH,
  type InhibitionSource,
  type RuleSources,
  type SettingSources,
} from './sources.ts'

export interface PackagedRules {
  readonly settings: SettingSources
  /** Default name of the scrape job. */
  readonly job: string
  readonly sources: RuleSources
  /** Between alerts of a system or a pool. The status page omits consequences, as Alertmanager does. */
  readonly inhibitions: readonly InhibitionSource[]
}

/** Paths are the same from src/ and dist/. */
const GENERATED = new URL('./generated/', import.meta.url)
const DASHBOARDS = new URL('../../grafana/dashboards/', import.meta.url)

const INHIBITION = new URL('../../deploy/prometheus/alertmanager-inhibition.yml', import.meta.url)

const readJson = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))

export const readRules = (): PackagedRules => readJson(new URL('rules.json', GENERATED)) as PackagedRules

export const readInhibition = (): string => readFileSync(INHIBITION, 'utf8')

export const defaultsOf = ({ settings, job }: PackagedRules): SettingValues => ({
  ...valuesOf(settings),
  job,
  [CLUSTER_PATH]: CLUSTER_HIDE.hidden,
})

/** The dashboards of the package, sorted by file name. */
export function readDashboards(): DashboardSource[] {
  const pointers = readJson(new URL('pointers.json', GENERATED)) as Readonly<Record<string, Pointers>>
  const files = readdirSync(DASHBOARDS).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const dashboard = readJson(new URL(file, DASHBOARDS)) as DashboardSource['dashboard']
    return { dashboard, pointers: pointers[dashboard.uid] ?? {} }
  })
}

const INHIBITION_FILE = 'alertmanager-inhibition.yml'

export function dashboardsWith(config: AlertingConfig): Dashboard[] {
  const defaults = defaultsOf(readRules())
  return readDashboards().map((source) => tunedDashboard(source, defaults, config))
}

export function prometheusFiles(config: AlertingConfig): WrittenFile[] {
  const rules = readRules()
  const files = ruleFiles(rules.sources, defaultsOf(rules), config)
  return [...files, { name: INHIBITION_FILE, text: readInhibition() }]
}

/** Objects for Kubernetes with rules and dashboards, and inhibition rules for Alertmanager. */
export function kubernetesFiles(config: AlertingConfig): WrittenFile[] {
  const rules = readRules()
  const contents = ruleContents(rules.sources, defaultsOf(rules), config)
  const inhibition = readInhibition()
  const objects = kubernetesObjects(contents, inhibition, dashboardsWith(config))
  return [...objects, { name: INHIBITION_FILE, text: inhibition }]
}

const HEADER =
  '# Generated: do not edit. `sds-exporter rules --kubernetes` writes this file with other thresholds and links.\n'
const LABELS = { 'app.kubernetes.io/name': 'sds-exporter', 'app.kubernetes.io/part-of': 'sds-exporter' }
/** Metadata of ConfigMaps for the sidecar of Grafana's Helm chart; the annotation is the folder in Grafana. */
export const DASHBOARD_METADATA = {
  labels: { ...LABELS, grafana_dashboard: '1' },
  annotations: { grafana_folder: 'Storage' },
}

/**
 * Rules as objects of the Prometheus operator, dashboards as ConfigMaps, and the kustomization that lists them.
 * @param inhibition the text of the file with the inhibition rules
 */
export function kubernetesObjects(
  rules: RuleContents,
  inhibition: string,
  dashboards: readonly Dashboard[],
): WrittenFile[] {
  const objects = [
    ...Object.entries(rules).map(([name, content]) =>
      manifest(`rule-${name}`, prometheusRule(name, content)),
    ),
    manifest('alertmanagerconfig-sds-inhibition', alertmanagerConfig(inhibition)),
    ...dashboards.map((dashboard) => manifest(`dashboard-${dashboard.uid}`, configMap(dashboard))),
  ]
  const kustomization = manifest('kustomization', {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: objects.map(({ name }) => name),
  })
  return [kustomization, ...objects]
}

function prometheusRule(name: string, content: RuleFile): object {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name, labels: LABELS },
    spec: content,
  }
}

interface InhibitRule {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

/**
 * By default, the operator limits such rules to alerts with the label `namespace` of the object. Alerts about storage
 * systems do not have it: see docs/operations.md.
 */
function alertmanagerConfig(inhibition: string): object {
  const { inhibit_rules } = parse(inhibition) as { readonly inhibit_rules: readonly InhibitRule[] }
  return {
    apiVersion: 'monitoring.coreos.com/v1alpha1',
    kind: 'AlertmanagerConfig',
    metadata: { name: 'sds-inhibition', labels: LABELS },
    spec: {
      inhibitRules: inhibit_rules.map(({ source_matchers, target_matchers, equal }) => ({
        sourceMatch: source_matchers.map(matcherObject),
        targetMatch: target_matchers.map(matcherObject),
        equal,
      })),
    },
  }
}

/**
 * `alertname =~ "a|b"` as an object. A plain `=` has a meaning of its own in YAML 1.1, so that PyYAML refuses it, and Helm and
 * kustomize print it without quotes; a word as an expression matches the same.
 */
function matcherObject(matcher: string): { name: string; matchType: string; value: string } {
  const [, name = '', operator = '', value = ''] = /^(\w+) (=~|!~|=) "(.*)"$/.exec(matcher) ?? []
  if (operator === '=' && !/^\w+$/.test(value)) throw new Error(`${matcher} is not a word`)
  return { name, matchType: operator === '=' ? '=~' : operator, value }
}

/**
 * A ConfigMap for the sidecar of Grafana's Helm chart. The JSON is minified, because `kubectl apply` stores a copy in an
 * annotation, and annotations are limited to 256 KiB.
 */
function configMap(dashboard: Dashboard): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `dashboard-${dashboard.uid}`, ...DASHBOARD_METADATA },
    data: { [`${dashboard.uid}.json`]: JSON.stringify(dashboard) },
  }
}

function manifest(name: string, object: object): WrittenFile {
  return { name: `${name}.yaml`, text: HEADER + stringify(object, { lineWidth: 0 }) }
}
