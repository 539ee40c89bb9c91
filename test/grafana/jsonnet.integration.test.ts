import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type AlertingConfig, DEFAULT_ALERTING } from '../../src/alerting/config.ts'
import { dashboardsWith, prometheusFiles } from '../../src/alerting/package_files.ts'
import { run } from '../support/processes.ts'
import { toolPath } from '../support/tools.ts'

interface Mixin {
  readonly alerts: unknown
  readonly rules: unknown
  readonly dashboards: Readonly<Record<string, unknown>>
  readonly folder: string
}

/** What users of Jsonnet get, with their changes of `_config`. */
async function evaluated(config: string): Promise<Mixin> {
  const program = `
    local mixin = (import '${resolve('grafana/mixin.libsonnet')}') + { _config+:: ${config} };
    {
      alerts: mixin.prometheusAlerts,
      rules: mixin.prometheusRules,
      dashboards: mixin.grafanaDashboards,
      folder: mixin.grafanaDashboardFolder,
    }`
  const { code, stdout, stderr } = await run(toolPath('jsonnet'), ['--exec', program])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** What the commands write. */
function written(config: Partial<AlertingConfig>): Omit<Mixin, 'folder'> {
  const settings = { ...DEFAULT_ALERTING, ...config }
  const [recording, alerts] = prometheusFiles(settings).map(({ text }) => text)
  return {
    alerts: parse(alerts ?? ''),
    rules: parse(recording ?? ''),
    dashboards: Object.fromEntries(
      dashboardsWith(settings).map((dashboard) => [`${dashboard.uid}.json`, dashboard]),
    ),
  }
}

describe('mixin.libsonnet', () => {
  test.each<[string, string, Partial<AlertingConfig>]>([
    ['without settings', '{}', {}],
    [
      'with settings',
      `{
        runbookBaseUrl: 'https://wiki.example.net/alerts.md',
        grafanaUrl: 'https://grafana.example.net',
        job: 'storage',
        showCluster: true,
        alertLabels: { team: 'storage', severity: 'page' },
        disabled: ['SdsNodesCpuBusy'],
        thresholds+: {
          usedRatio+: { warning: 0.7 },
          clockSkewSeconds+: { critical: 600 },
          outlierFactor+: { value: 2.5 },
          forecastTargetPercent+: { value: 80 },
        },
      }`,
      {
        runbookBaseUrl: 'https://wiki.example.net/alerts.md',
        grafanaUrl: 'https://grafana.example.net',
        labels: { team: 'storage', severity: 'page' },
        disabled: ['SdsNodesCpuBusy'],
        values: {
          job: 'storage',
          clusterHide: 0,
          'usedRatio.warning': 0.7,
          'clockSkewSeconds.critical': 600,
          outlierFactor: 2.5,
          forecastTargetPercent: 80,
        },
      },
    ],
  ])('%s has the rules and dashboards that the commands write', async (_, jsonnet, config) => {
    const { folder, ...mixin } = await evaluated(jsonnet)
    expect(mixin).toEqual(written(config))
    expect(folder).toBe('Storage')
    expect(Object.keys(mixin.dashboards).toSorted()).toEqual(readdirSync('grafana/dashboards').toSorted())
  })

  test.each([
    ['an unknown alert', `disabled: ['SdsNodeCpuBusy']`, 'disabled: no alert has this name: SdsNodeCpuBusy'],
    ['an unknown threshold', `thresholds+: { usedRate: { value: 1 } }`, 'thresholds: unknown: usedRate'],
    ['a removed threshold', 'thresholds: {}', 'field does not exist'],
  ])('refuses %s', async (_, config, message) => {
    const program = `((import '${resolve('grafana/mixin.libsonnet')}') + { _config+:: { ${config} } }).prometheusAlerts`
    const { code, stderr } = await run(toolPath('jsonnet'), ['--exec', program])
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
  })
})
