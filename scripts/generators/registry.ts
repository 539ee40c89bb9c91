import { readFileSync } from 'node:fs'
import { renderDashboards } from '../../grafana/mixin/dashboards/build.ts'
import { renderProvisioning } from '../../grafana/mixin/dashboards/provisioning.ts'
import { renderInhibition } from '../../grafana/mixin/rules/inhibition.ts'
import { renderRules } from '../../grafana/mixin/rules/rules.ts'
import { configSchema } from './config_schema.ts'
import {
  composeAlertmanager,
  dashboardsKustomization,
  KUBERNETES_FOLDER,
  kubernetesMonitoring,
} from './deploy_files.ts'
import { chartFiles } from './helm_chart.ts'
import { licencesDocument, readLockfile } from './licences.ts'
import { MANUAL_PAGE, manualPage } from './manual_page.ts'
import { metricsReference } from './metrics_reference.ts'
import { PACKAGE_DATA_FOLDER, packageData } from './package_data.ts'
import { commandsPage } from './paths_table.ts'
import { renderRunbooks } from './runbooks.ts'
import { statusPage } from './status_reference.ts'
import { alertingPage } from './thresholds_table.ts'

/** A generated file; the path is relative to the repository. */
export interface Generated {
  readonly path: string
  readonly text: string
}

export interface Generator {
  /** Description of the generated files, for messages. */
  readonly what: string
  readonly files: () => readonly Generated[] | Promise<readonly Generated[]>
  /** All files with this suffix in the folder belong to the generator; files that it no longer creates are removed. */
  readonly owns?: { readonly folder: string; readonly suffix: string }
}

const lockfile = () => readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')

/** All generators of `npm run generate`. */
export const GENERATORS: readonly Generator[] = [
  { what: 'metrics reference', files: () => [{ path: 'docs/metrics.md', text: metricsReference() }] },
  { what: 'status reference', files: statusPage },
  { what: 'manual page', files: async () => [{ path: MANUAL_PAGE, text: await manualPage() }] },
  {
    what: 'Prometheus rules',
    files: () => renderRules(),
    owns: { folder: 'deploy/prometheus/rules', suffix: '.yml' },
  },
  { what: 'inhibition rules', files: () => [renderInhibition()] },
  {
    what: 'data of the commands `rules` and `dashboards`',
    files: packageData,
    owns: { folder: PACKAGE_DATA_FOLDER, suffix: '.json' },
  },
  { what: 'schema of the configuration file', files: () => [configSchema()] },
  { what: 'runbooks of the alerts', files: renderRunbooks },
  { what: 'table of thresholds', files: alertingPage },
  { what: 'tables of paths', files: commandsPage },
  { what: 'dashboards', files: renderDashboards, owns: { folder: 'grafana/dashboards', suffix: '.json' } },
  { what: 'Grafana provisioning', files: renderProvisioning },
  {
    what: 'licences',
    files: () => [{ path: 'docs/licences.md', text: licencesDocument(readLockfile(lockfile())) }],
  },
  { what: 'Alertmanager of the compose stack', files: () => [composeAlertmanager()] },
  {
    what: 'rules for Kubernetes',
    files: kubernetesMonitoring,
    owns: { folder: KUBERNETES_FOLDER, suffix: '.yaml' },
  },
  { what: 'dashboards for Kubernetes', files: () => [dashboardsKustomization()] },
  { what: 'version and schema of the Helm chart', files: chartFiles },
]
