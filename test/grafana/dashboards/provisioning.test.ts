import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderProvisioning } from '../../../grafana/mixin/dashboards/provisioning.ts'
import { GRAFANA, PROMETHEUS } from '../../../grafana/mixin/settings.ts'

const rendered = (end: string) => {
  const file = renderProvisioning().find(({ path }) => path.endsWith(end))
  return parse(file?.text ?? '') as Record<string, unknown>
}

test.each(renderProvisioning())('$path is up to date', ({ path, text }) => {
  expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toBe(text)
})

test('the data source has a fixed uid and the scrape interval of the settings', () => {
  expect(rendered('prometheus.yaml')).toEqual({
    apiVersion: 1,
    datasources: [
      {
        name: 'Prometheus',
        uid: GRAFANA.datasource.uid,
        type: 'prometheus',
        access: 'proxy',
        url: GRAFANA.datasource.url,
        isDefault: true,
        editable: false,
        jsonData: { httpMethod: 'POST', timeInterval: `${PROMETHEUS.scrapeIntervalSeconds}s` },
      },
    ],
  })
})

test('dashboards are loaded from files into one folder and cannot be edited or deleted', () => {
  expect(rendered('sds.yaml')).toMatchObject({
    apiVersion: 1,
    providers: [
      {
        type: 'file',
        folder: GRAFANA.folder.title,
        folderUid: GRAFANA.folder.uid,
        allowUiUpdates: false,
        disableDeletion: true,
        options: { path: GRAFANA.dashboardsPath },
      },
    ],
  })
})
