import { readFileSync } from 'node:fs'
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type Selection, substitute } from '../../grafana/mixin/promql/selection.ts'
import { type AlertingConfig, DEFAULT_ALERTING, type Override } from '../../src/alerting/config.ts'
import {
  dashboardsWith,
  prometheusFiles,
  readDashboards,
  readRules,
} from '../../src/alerting/package_files.ts'
import { alertsOf, CLUSTER_HIDE, CLUSTER_PATH } from '../../src/alerting/sources.ts'
import { panelsOf, queriesOf } from '../grafana/dashboards/queries.ts'
import { parse } from '../grafana/promql/parse.ts'
import { temporaryFolder } from '../support/folders.ts'
import { testRules } from '../support/promtool.ts'

const NOTHING = { values: {}, for: {}, keepFiringFor: {}, disabled: [] }
const override = (system: string, more: Partial<Override>): Override => ({ ...NOTHING, system, ...more })
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
    expect(JSON.stringify(boards({ overrides: [override('a', warning(0.6))] }))).not.toContain('<<')
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

/** `system` and `pool` of the pools that the exporter lists. */
const POOLS = [
  ['frankfurt', 'data'],
  ['frankfurt', 'archive'],
  ['paris', 'data'],
] as const

/** Asserts the value of the line at five minutes for selections of variables; undefined: there is no line. */
async function lineTest(
  overrides: readonly Override[],
  rows: readonly (readonly [selection: Selection, value: number | undefined])[],
) {
  using folder = temporaryFolder()
  const panel = panelOf({ overrides }, ...USED)
  const line = queriesOf(panel).find(({ legendFormat }) => legendFormat === 'warning')
  const test = {
    interval: '1m',
    input_series: POOLS.flatMap(([system, pool]) =>
      ['a', 'b'].map((instance) => {
        const labels = `system="${system}",pool="${pool}",pool_id="${system}-${pool}",instance="${instance}"`
        return { series: `sds_pool_info{${labels},job="sds-exporter"}`, values: '1x10' }
      }),
    ),
    promql_expr_test: rows.map(([selection, value]) => ({
      expr: substitute(line?.expr ?? '', selection),
      eval_time: '5m',
      exp_samples: value === undefined ? [] : [{ labels: '{}', value }],
    })),
  }
  const { code, stdout, stderr } = await testRules(folder.write('test.yml', stringify({ tests: [test] })))
  expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
}

describe('limits that differ by system or pool', () => {
  const overrides = [
    override('frankfurt', warning(0.7)),
    override('frankfurt', { ...warning(0.6), pool: 'archive' }),
  ]

  test('are drawn as series instead of thresholds', () => {
    const panel = panelOf({ overrides }, ...USED)
    expect(style(panel)).toBe('off')
    const ofPool = '{{system}} / {{pool}}'
    const legends = queriesOf(panel).map(({ legendFormat }) => legendFormat)
    expect(legends).toEqual([ofPool, `${ofPool}, in 30 days`, 'warning', 'critical'])
    const lines = queriesOf(panel).slice(2)
    for (const { refId, expr = '' } of lines) {
      const matching = panel.fieldConfig?.overrides.find(({ matcher }) => matcher.options === refId)
      expect(matching?.matcher.id).toBe('byFrameRefID')
      expect(matching?.properties).toEqual([
        { id: 'color', value: { mode: 'fixed', fixedColor: expect.any(String) } },
        { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
        { id: 'custom.fillOpacity', value: 0 },
        { id: 'custom.stacking', value: { mode: 'none' } },
        { id: 'custom.hideFrom', value: { legend: true, tooltip: false, viz: false } },
        { id: 'links', value: [] },
      ])
      expect(() => parse(substitute(expr))).not.toThrow()
    }
    expect(new Set(queriesOf(panel).map(({ refId }) => refId)).size).toBe(4)
  })

  test('leave panels of other settings as they are', () => {
    const cpu = ['sds-pool', 'Top $topn nodes by CPU'] as const
    expect(panelOf({ overrides }, ...cpu)).toEqual(panelOf({}, ...cpu))
  })

  test('select pools only by the variables of the dashboard', () => {
    const ofCpu = override('frankfurt', { values: { 'cpuRatio.warning': 0.5 } })
    for (const board of boards({ overrides: [ofCpu] })) {
      const names = (board.templating.list ?? []).map(({ name }) => name)
      const lines = panelsOf(board)
        .flatMap(queriesOf)
        .filter(({ refId }) => refId?.startsWith('Limit'))
      for (const { expr = '' } of lines) {
        const used = [...expr.matchAll(/\$(\w+)"/g)].map(([, name]) => name)
        expect(used.length).toBeGreaterThan(0)
        for (const name of used) expect(names).toContain(name)
      }
    }
  })

  test('have one line where they do not differ', async () => {
    await lineTest(overrides, [
      [{ system: ['paris'] }, 0.8],
      [{ system: ['frankfurt'], pool: ['data'] }, 0.7],
      [{ system: ['frankfurt'], pool: ['archive'] }, 0.6],
      [{ system: ['frankfurt'] }, undefined],
      [{ pool: ['data'] }, undefined],
      [{ pool: ['nothing'] }, undefined],
    ])
  })
})
