import { readdirSync, readFileSync } from 'node:fs'
import type { AlertingConfig } from './config.ts'
import { type Dashboard, type DashboardSource, tunedDashboard } from './dashboards.ts'
import { kubernetesObjects } from './kubernetes.ts'
import { type Pointers, type SettingValues, valuesOf } from './references.ts'
import { ruleContents, ruleFiles, type WrittenFile } from './rules.ts'
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

/** The text of the file with the inhibition rules. */
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
