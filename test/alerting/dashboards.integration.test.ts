import { readFileSync } from 'node:fs'
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { type AlertingConfig, DEFAULT_ALERTING } from '../../src/alerting/config.ts'
import {
  dashboardsWith,
  prometheusFiles,
  readDashboards,
  readRules,
} from '../../src/alerting/package_files.ts'
import { alertsOf, CLUSTER_HIDE, CLUSTER_PATH } from '../../src/alerting/sources.ts'
import { panelsOf } from '../grafana/dashboards/queries.ts'

const warning = (value: number) => ({ values: { 'usedRatio.warning': value } })

function boards(config: Partial<AlertingConfig>): Dashboard[] {
  return dashboardsWith({ ...DEFAULT_ALERTING, ...config }) as readonly unknown[] as Dashboard[]
}
const panelOf = (config: Partial<AlertingConfig>, uid: string, title: string): Panel => {
  const panels = boards(config)
    .filter((board) => board.uid === uid)
    .flatMap(panelsOf)
  const found = panels.find((panel) => panel.title === title)
  if (found === undefined) throw new Error(`there is no panel ${title}`)
  return found
}
const USED = ['sds-capacity', 'Top $topn pools by space used, and in 30 days'] as const
const steps = ({ fieldConfig }: Panel) => fieldConfig?.defaults.thresholds?.steps.map(({ value }) => value)
const style = ({ fieldConfig }: Panel) => fieldConfig?.defaults.custom?.thresholdsStyle?.mode

describe('dashboards with settings', () => {
  test('are those of the package without settings', () => {
    expect(boards({})).toEqual(readDashboards().map(({ dashboard }) => dashboard))
  })

  test('have the thresholds of the settings', () => {
    const panel = panelOf(warning(0.6), ...USED)
    expect(steps(panel)).toEqual([null, 0.6, 0.9])
    expect(style(panel)).toBe('dashed')
  })

  test.each(['read', 'write'] as const)('have the %s latency at which the alert fires', (operation) => {
    const values = { [`${operation}LatencySeconds.warning`]: 0.123 }
    const panel = panelOf({ values }, 'sds-performance', `Top $topn pools by ${operation} latency`)
    expect(steps(panel)?.[1]).toBe(0.123)
    const other = operation === 'read' ? 'write' : 'read'
    const unchanged = panelOf({ values }, 'sds-performance', `Top $topn pools by ${other} latency`)
    expect(steps(unchanged)).not.toContain(0.123)
    const [, alerts] = prometheusFiles({ ...DEFAULT_ALERTING, values })
    const name = operation === 'read' ? 'SdsReadLatencyHigh' : 'SdsWriteLatencyHigh'
    expect(alerts?.text).toMatch(new RegExp(`alert: ${name}\\n[^>]*> 0\\.123\\n`))
    expect(alerts?.text.match(/0\.123/g)).toHaveLength(1)
  })

  test('have settings in titles and queries', () => {
    const text = JSON.stringify(boards({ values: { forecastTargetPercent: 70 } }))
    expect(text).toContain('Top $topn nodes closest to 70 %')
    expect(text).toContain('target_percent=\\"70\\"')
    expect(text).not.toMatch(/target_percent=\\"90\\"|90 %/)
  })

  test('have no reference left', () => {
    const overrides = [{ values: {}, for: {}, keepFiringFor: {}, disabled: [], system: 'a' }]
    expect(JSON.stringify(boards({ overrides }))).not.toContain('<<')
  })
})

describe('the variable cluster', () => {
  const clusters = (config: Partial<AlertingConfig>) =>
    boards(config).map(({ templating }) => templating.list?.find(({ name }) => name === 'cluster'))

  test('is hidden and All, also without the label', () => {
    for (const variable of clusters({})) {
      expect(variable).toMatchObject({ hide: 2, allValue: '.*', current: { value: ['$__all'] } })
    }
  })

  test('is shown by a setting', () => {
    const shown = clusters({ values: { [CLUSTER_PATH]: CLUSTER_HIDE.shown } })
    expect(shown.map((variable) => variable?.hide)).toEqual(Array.from({ length: 10 }, () => 0))
  })
})

describe('the table of firing alerts', () => {
  const base = 'https://wiki.example.net/alerts.md'
  const links = (config: Partial<AlertingConfig>) =>
    panelOf(config, 'sds-fleet', 'Alerts firing now').fieldConfig?.overrides.flatMap(
      ({ matcher, properties }) =>
        properties.filter(({ id }) => id === 'links').map(({ value }) => [matcher.options, value]),
    ) ?? []

  test('links the name of an alert to its runbook', () => {
    const link = { title: 'Runbook', url: `${base}#$\{__data.fields.alertname}`, targetBlank: true }
    expect(links({ runbookBaseUrl: base })).toContainEqual(['alertname', [link]])
  })

  test('has no such link without the address of the runbooks', () => {
    expect(links({}).map(([column]) => column)).toEqual(['pool', 'node'])
  })

  // Grafana cannot write the name in lower case, as in the anchor of a heading.
  test('finds the name as an anchor', () => {
    const document = readFileSync('docs/alerts.md', 'utf8')
    for (const { alert } of alertsOf(readRules().sources)) expect(document).toContain(`<a id="${alert}"></a>`)
  })
})
