import type { AlertingConfig } from './config.ts'
import { tunedDashboard } from './dashboards.ts'
import { kubernetesObjects } from './kubernetes.ts'
import { defaultsOf, readDashboards, readInhibition, readRules } from './package_files.ts'
import type { Dashboard } from './panels.ts'
import { ruleContents, ruleFiles, type WrittenFile } from './rules.ts'

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
