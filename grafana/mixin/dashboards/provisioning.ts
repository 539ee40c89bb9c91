import { GRAFANA, PROMETHEUS } from '../settings.ts'

const HEADER = '# Generated from grafana/mixin/settings.ts: change it there, then run `npm run generate`.\n'

/**
 * `timeInterval` must be the actual scrape interval: Grafana derives `$__rate_interval` from it. With a smaller one
 * graphs of counters are empty when zoomed in.
 */
const datasources = (): string => `${HEADER}apiVersion: 1
datasources:
  - name: ${GRAFANA.datasource.name}
    uid: ${GRAFANA.datasource.uid}
    type: prometheus
    access: proxy
    url: ${GRAFANA.datasource.url}
    isDefault: true
    editable: false
    jsonData:
      httpMethod: POST
      timeInterval: ${PROMETHEUS.scrapeIntervalSeconds}s
`

const dashboards = (): string => `${HEADER}apiVersion: 1
providers:
  - name: ${GRAFANA.folder.uid}
    type: file
    folder: ${GRAFANA.folder.title}
    folderUid: ${GRAFANA.folder.uid}
    allowUiUpdates: false
    disableDeletion: true
    updateIntervalSeconds: 60
    options:
      path: ${GRAFANA.dashboardsPath}
      foldersFromFilesStructure: false
`

/** Grafana's provisioning files, as `{path, text}` from the root of the repository. */
export const renderProvisioning = (): { readonly path: string; readonly text: string }[] => [
  { path: 'grafana/provisioning/datasources/prometheus.yaml', text: datasources() },
  { path: 'grafana/provisioning/dashboards/sds.yaml', text: dashboards() },
]
