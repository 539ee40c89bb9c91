import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type AlertingConfig, DEFAULT_ALERTING, type Override } from '../../src/alerting/config.ts'
import { prometheusFiles } from '../../src/alerting/package_files.ts'
import { MAX_SETTING_SECONDS } from '../../src/alerting/sources.ts'
import { temporaryFolder } from '../support/folders.ts'
import { checkRules, testRules } from '../support/promtool.ts'

/** What the description says to do first. */
const TO_DO = 'A full pool refuses writes. Order capacity now, because delivery takes weeks.'

const NOTHING = { values: {}, for: {}, keepFiringFor: {}, disabled: [] }
const override = (system: string, more: Partial<Override>): Override => ({ ...NOTHING, system, ...more })
const configOf = (config: Partial<AlertingConfig>): AlertingConfig => ({ ...DEFAULT_ALERTING, ...config })

/** A name with every character that PromQL, templates, regular expressions or YAML treat specially. */
const ODD_POOL = `a "b" \\ $1 \${x} {{ .y }} 'c' : # é`

const extremes = (seconds: number, backlogGrowthSeconds: number, gigabytes: number) => {
  const ranges = { garbageStalledSeconds: seconds, bootstrapStalledSeconds: seconds, backlogGrowthSeconds }
  return { values: { ...ranges, garbagePendingGigabytes: gigabytes, backlogGigabytes: gigabytes } }
}

const CONFIGS: Readonly<Record<string, Partial<AlertingConfig>>> = {
  defaults: {},
  links: { runbookBaseUrl: 'https://wiki.example.net/alerts.md', grafanaUrl: 'https://grafana.example.net' },
  values: { values: { 'usedRatio.warning': 0.5, outlierFactor: 2.5, 'forecastSeconds.critical': 0.5 } },
  'the smallest ranges and numbers': extremes(1, 3601, 1e-7),
  'the largest ranges and numbers': extremes(MAX_SETTING_SECONDS, MAX_SETTING_SECONDS, 1e21),
  waits: {
    for: { SdsCapacityHigh: '2h', SdsNodeBad: '0s' },
    keepFiringFor: { SdsNodeBad: '90s' },
  },
  disabled: { disabled: ['SdsNodesCpuBusy', 'SdsExporterDown'] },
  'overrides of everything': {
    overrides: ['frankfurt', 'paris'].flatMap((system) => [
      override(system, {
        values: { 'usedRatio.critical': 0.95, 'certificateSeconds.warning': 86_400 * 20 },
        disabled: ['SdsNodeFlapping'],
      }),
      override(system, { pool: ODD_POOL, values: { 'usedRatio.critical': 0.97, manyBadDisks: 9 } }),
    ]),
  },
}

function written(config: Partial<AlertingConfig>, file: string): string {
  return prometheusFiles(configOf(config)).find(({ name }) => name === file)?.text ?? ''
}

describe('promtool accepts the rules with', () => {
  test.each(Object.entries(CONFIGS))('%s', async (_, config) => {
    using folder = temporaryFolder()
    const all = prometheusFiles(configOf(config))
    const files = all.filter(({ name }) => name !== 'alertmanager-inhibition.yml')
    expect(files).toHaveLength(2)
    const paths = files.map(({ name, text }) => folder.write(name, text))
    const { code, stdout, stderr } = await checkRules(...paths)
    expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
  })
})

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly keep_firing_for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
interface Group {
  readonly name: string
  readonly rules: readonly Rule[]
}
const groupsOf = (config: Partial<AlertingConfig>, file: string): Group[] =>
  parse(written(config, file)).groups
const alerts = (config: Partial<AlertingConfig>): Rule[] =>
  groupsOf(config, 'sds-alerts.yml')
    .flatMap(({ rules }) => rules)
    .filter(({ alert }) => alert !== undefined)
const named = (config: Partial<AlertingConfig>, name: string): Rule[] =>
  alerts(config).filter(({ alert }) => alert === name)

test('no group has more than 20 rules, whatever the overrides are, and no name is used twice', () => {
  const overrides = Array.from({ length: 30 }, (_, index) => ({
    ...DEFAULT_ALERTING,
    ...{ system: 'a', pool: `p${index}`, values: { 'usedRatio.warning': 0.5 + index / 100 } },
  }))
  for (const config of [{}, { overrides }]) {
    const groups = ['sds-recording.yml', 'sds-alerts.yml'].flatMap((file) => groupsOf(config, file))
    expect(groups.filter(({ rules }) => rules.length > 20).map(({ name }) => name)).toEqual([])
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length)
  }
  const names = groupsOf({}, 'sds-alerts.yml').map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['sds-health', 'sds-exporter-1', 'sds-exporter-2']))
  expect(named({ overrides }, 'SdsCapacityHigh')).toHaveLength(31)
})

describe('links', () => {
  test('are absolute where their base is given', () => {
    for (const { alert, annotations } of alerts(CONFIGS['links'] ?? {})) {
      expect(annotations['runbook_url']).toBe(`https://wiki.example.net/alerts.md#${alert.toLowerCase()}`)
      expect(annotations['dashboard_url']).toMatch(/^https:\/\/grafana\.example\.net\/d\/sds-/)
    }
  })

  test.each([
    ['runbookBaseUrl', 'dashboard_url'],
    ['grafanaUrl', 'runbook_url'],
  ])('of one kind are absent if only %s is given', (key, absent) => {
    for (const { annotations } of alerts({ [key]: 'https://x.example.net' })) {
      expect(Object.keys(annotations)).toHaveLength(3)
      expect(annotations).not.toHaveProperty(absent)
    }
  })
})

test('waiting times are those of the settings', () => {
  const [bad] = named(CONFIGS['waits'] ?? {}, 'SdsNodeBad')
  expect(bad).toMatchObject({ for: '0s', keep_firing_for: '90s' })
})

test('alerts on the exporters select the job of the settings', () => {
  const expressions = alerts({ values: { job: 'storage' } }).map(({ expr }) => expr)
  const selecting = expressions.filter((expr) => expr.includes('job='))
  expect(selecting.length).toBeGreaterThan(2)
  for (const expr of selecting)
    expect(new Set(expr.match(/job="[^"]*"/g)), expr).toEqual(new Set(['job="storage"']))
})

test('a disabled alert has no rule, and all others have theirs', () => {
  const names = alerts(CONFIGS['disabled'] ?? {}).map(({ alert }) => alert)
  const disabled = CONFIGS['disabled']?.disabled ?? []
  const all = alerts({}).map(({ alert }) => alert)
  expect(names).toEqual(all.filter((name) => !disabled.includes(name)))
})

/** Values of `sds_node_disks_by_status{status="Bad"}` and others, by system and pool. */
const series = (metric: string, system: string, pool: string, values: string, more = '') => ({
  series: `${metric}{system=${JSON.stringify(system)},pool=${JSON.stringify(pool)},node="n1"${more}}`,
  values,
})

interface Firing {
  readonly system: string
  readonly pool: string
}

const frankfurt = ['data', ODD_POOL].map((pool) => ({ system: 'frankfurt', pool }))
const paris = ['data', ODD_POOL].map((pool) => ({ system: 'paris', pool }))

/** Runs the rules of a configuration over pools that are all 85 % full, and compares the pools whose alert fires. */
async function capacityTest(config: Partial<AlertingConfig>, firing: readonly Firing[]) {
  using folder = temporaryFolder()
  // promtool evaluates every rule that it loads.
  const groups = ['sds-recording.yml', 'sds-alerts.yml'].flatMap((file) => groupsOf(config, file))
  const loaded = ['sds-recording-capacity', 'sds-capacity']
  folder.write('rules.yml', stringify({ groups: groups.filter(({ name }) => loaded.includes(name)) }))
  const pools = [...frankfurt, ...paris]
  const exp_alerts = firing.map(({ system, pool }) => {
    const description = `Pool ${pool} of system ${system} has 85% of its usable space allocated. ${TO_DO}`
    return {
      exp_labels: { severity: 'warning', component: 'capacity', system, pool },
      exp_annotations: { summary: 'A storage pool is filling up.', description },
    }
  })
  const test = {
    interval: '1m',
    input_series: pools.flatMap(({ system, pool }) => [
      series('sds_node_disk_space_allocated_bytes', system, pool, '85x200'),
      series('sds_node_disk_space_total_bytes', system, pool, '100x200'),
    ]),
    alert_rule_test: [{ eval_time: '60m', alertname: 'SdsCapacityHigh', exp_alerts }],
  }
  const order = { evaluation_interval: '1m', group_eval_order: loaded }
  const file = folder.write('test.yml', stringify({ rule_files: ['rules.yml'], ...order, tests: [test] }))
  const { code, stdout, stderr } = await testRules(file)
  expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
}

describe('over pools that are all 85 % full', () => {
  const warning = (value: number) => ({ values: { 'usedRatio.warning': value } })
  const ofPool = override('frankfurt', { ...warning(0.8), pool: ODD_POOL })
  const OF_BOTH = [override('frankfurt', warning(0.88)), ofPool]

  test.each<[string, Partial<AlertingConfig>, readonly Firing[]]>([
    ['the default fires for all', {}, [...frankfurt, ...paris]],
    [
      'a higher threshold of a pool, whatever its name, fires for the others',
      { overrides: [override('frankfurt', { ...warning(0.88), pool: ODD_POOL })] },
      [{ system: 'frankfurt', pool: 'data' }, ...paris],
    ],
    [
      'a pool has precedence over its system',
      { overrides: OF_BOTH },
      [{ system: 'frankfurt', pool: ODD_POOL }, ...paris],
    ],
    [
      'a disabled alert of a pool is silent for it only',
      { overrides: [override('paris', { pool: 'data', disabled: ['SdsCapacityHigh'] })] },
      [...frankfurt, { system: 'paris', pool: ODD_POOL }],
    ],
    [
      'a longer wait of a system has not passed',
      { overrides: [override('paris', { for: { SdsCapacityHigh: '2h' } })] },
      frankfurt,
    ],
  ])('%s', async (_, config, firing) => await capacityTest(config, firing))
})
