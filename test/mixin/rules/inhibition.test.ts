import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { ALERT_GROUPS } from '../../../mixin/rules/rules.ts'
import { type Alertmanager, checkAlertmanagerConfig, startAlertmanager } from '../../support/alertmanager.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { checkConfig } from '../../support/promtool.ts'
import { waitFor } from '../../support/wait.ts'
import { LIVE_SCENARIOS, waitOf } from './live_scenarios.ts'

type Labels = Readonly<Record<string, string>>
interface InhibitRule {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

const FOLDER = new URL('../../../deploy/prometheus/', import.meta.url)
const snippet = parse(readFileSync(new URL('alertmanager-inhibition.yml', FOLDER), 'utf8')) as {
  readonly inhibit_rules: readonly InhibitRule[]
}
const CONFIG = { route: { receiver: 'none' }, receivers: [{ name: 'none' }], ...snippet }
const ALERTS = ALERT_GROUPS.flatMap(({ alerts }) => alerts)

test('the snippet makes a valid Alertmanager configuration', async () => {
  using folder = temporaryFolder()
  const file = folder.write('alertmanager.yml', stringify(CONFIG))
  const { code, stdout } = await checkAlertmanagerConfig(file)
  expect(code).toBe(0)
  expect(stdout).toContain(`${snippet.inhibit_rules.length} inhibit rules`)
})

test.each(['prometheus.yml', 'prometheus-tls.yml'])(
  '%s is a valid Prometheus configuration',
  async (name) => {
    const { code, stdout } = await checkConfig(new URL(name, FOLDER).pathname)
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('2 rule files found')
  },
)

test('the snippet names alerts that exist', () => {
  const names = new Set<string>(ALERTS.map(({ alert }) => alert))
  const matchers = snippet.inhibit_rules.flatMap((rule) => [...rule.source_matchers, ...rule.target_matchers])
  const named = matchers.flatMap((matcher) => matcher.match(/Sds[A-Za-z]+/g) ?? [])
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !names.has(name))).toEqual([])
})

/** Firing alerts and those of them that are not inhibited. */
interface Case {
  readonly title: string
  readonly firing: readonly Labels[]
  readonly notified: readonly Labels[]
}

const of = (alertname: string, severity: string, more: Labels = {}): Labels => ({
  alertname,
  severity,
  ...more,
})
const FRANKFURT = { system: 'frankfurt' }
const POOL = { ...FRANKFURT, pool: 'pool 1' }
const NODE = { ...POOL, node: 'n1' }
const POLL = { ...POOL, pool_id: 'p1' }

const capacity = of('SdsCapacityHigh', 'critical', POOL)
const otherPool = of('SdsCapacityHigh', 'warning', { ...FRANKFURT, pool: 'pool 2' })
const unreachable = of('SdsSystemUnreachable', 'critical', FRANKFURT)
const elsewhere = of('SdsNodeBad', 'critical', { ...NODE, system: 'paris' })
const exporterDown = of('SdsExporterDown', 'warning', { instance: 'a' })
const token = of('SdsTokenRefused', 'critical', FRANKFURT)
const failing = of('SdsPoolPollsFailing', 'critical', POLL)
const frozen = of('SdsFeedFrozen', 'critical', POOL)
const unavailable = of('SdsNodesUnavailable', 'critical', POOL)
const bad = of('SdsNodeBad', 'critical', NODE)
const badDisks = of('SdsDisksBad', 'warning', NODE)
const many = of('SdsDiskFailuresMany', 'critical', POOL)
const absent = of('SdsExporterAbsent', 'critical')

const CASES: readonly Case[] = [
  {
    title: 'critical inhibits warning, in the same pool',
    firing: [capacity, { ...capacity, severity: 'warning' }, otherPool],
    notified: [capacity, otherPool],
  },
  {
    title: 'a full pool inhibits its forecast',
    firing: [capacity, of('SdsForecastShort', 'critical', POOL), of('SdsCapacityFillsSoon', 'warning', POOL)],
    notified: [capacity],
  },
  {
    title: 'an unreachable system inhibits its own alerts only',
    firing: [unreachable, bad, failing, frozen, elsewhere, exporterDown],
    notified: [unreachable, elsewhere, exporterDown],
  },
  {
    title: 'a refusal inhibits failed polls, but no alerts about nodes',
    firing: [
      token,
      failing,
      of('SdsPollErrorsHigh', 'warning', POLL),
      of('SdsPoolsUnknown', 'critical', FRANKFURT),
      bad,
    ],
    notified: [token, bad],
  },
  {
    title: 'failing polls inhibit many failed polls of the same pool',
    firing: [
      failing,
      of('SdsPollErrorsHigh', 'warning', POLL),
      of('SdsPollErrorsHigh', 'warning', { ...POLL, pool: 'pool 2', pool_id: 'p2' }),
    ],
    notified: [failing, of('SdsPollErrorsHigh', 'warning', { ...POLL, pool: 'pool 2', pool_id: 'p2' })],
  },
  {
    title: 'a frozen feed inhibits its categories and nodes',
    firing: [
      frozen,
      of('SdsCategoryFrozen', 'warning', { ...POOL, category: 'health' }),
      of('SdsNodeSamplesOld', 'warning', NODE),
    ],
    notified: [frozen],
  },
  {
    title: 'several unavailable nodes inhibit the single ones, but not suspect ones',
    firing: [
      unavailable,
      bad,
      of('SdsNodeNotAccessible', 'warning', NODE),
      of('SdsNodeSuspect', 'warning', NODE),
    ],
    notified: [unavailable, of('SdsNodeSuspect', 'warning', NODE)],
  },
  {
    title: 'a bad node inhibits its samples and latency, not its bad disks, and no other nodes',
    firing: [
      bad,
      badDisks,
      of('SdsNodeSamplesOld', 'warning', NODE),
      of('SdsNodeLatencyOutlier', 'warning', NODE),
      of('SdsNodeLatencyOutlier', 'warning', { ...NODE, node: 'n2' }),
    ],
    notified: [bad, badDisks, of('SdsNodeLatencyOutlier', 'warning', { ...NODE, node: 'n2' })],
  },
  {
    title: 'failing queries inhibit the attributes that disappeared',
    firing: [
      of('SdsQueryFailing', 'warning', FRANKFURT),
      of('SdsAttributesDisappeared', 'info', POLL),
      of('SdsAttributesDisappeared', 'info', { ...POLL, system: 'paris' }),
    ],
    notified: [
      of('SdsQueryFailing', 'warning', FRANKFURT),
      of('SdsAttributesDisappeared', 'info', { ...POLL, system: 'paris' }),
    ],
  },
  { title: 'many failures inhibit single bad disks', firing: [many, badDisks], notified: [many] },
  {
    title: 'no exporter inhibits everything',
    firing: [absent, exporterDown, bad, unreachable],
    notified: [absent],
  },
  {
    title: 'warnings alone are not inhibited',
    firing: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
    notified: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
  },
]

describe('Alertmanager', () => {
  let alertmanager: Alertmanager
  beforeAll(async () => {
    alertmanager = await startAlertmanager(CONFIG)
  })
  afterAll(() => alertmanager.stop())

  const notified = async (cluster: string, count: number): Promise<string[] | undefined> => {
    const alerts = (await alertmanager.alerts()).filter(({ labels }) => labels['cluster'] === cluster)
    if (alerts.length < count) return undefined
    return alerts.filter(({ status }) => status.inhibitedBy.length === 0).map(({ labels }) => key(labels))
  }
  const key = ({ cluster: _cluster, ...labels }: Labels): string =>
    JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

  // All cases use one Alertmanager; the label cluster separates them.
  test.each(CASES.map((row, index) => ({ ...row, cluster: `c${index}` })))('$title', async (row) => {
    const alerts = row.firing.map((labels) => ({ labels: { ...labels, cluster: row.cluster } }))
    const response = await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect(response.status).toBe(200)
    const expected = row.notified.map(key).toSorted()
    // Inhibition is applied some time after an alert is listed.
    const seen = await waitFor(
      async () => {
        const now = (await notified(row.cluster, row.firing.length))?.toSorted()
        return now?.length === expected.length ? now : undefined
      },
      { what: `${expected.length} alerts that are not inhibited`, detail: alertmanager.log },
    )
    expect(seen).toEqual(expected)
  })
})

describe('live scenarios', () => {
  test.each(LIVE_SCENARIOS)('$name expects alerts that exist', ({ alerts, tolerated = [] }) => {
    for (const expected of alerts) {
      expect(waitOf(expected)).toBeGreaterThanOrEqual(0)
      expect(expected.on.length).toBeGreaterThan(0)
    }
    for (const name of tolerated) expect(ALERTS.map(({ alert }) => alert)).toContain(name)
  })

  test('covers every scenario of the emulator', async () => {
    const { SCENARIO_NAMES } = await import('../../../src/emulator/model/scenarios.ts')
    const played = LIVE_SCENARIOS.map(({ emulator }) => emulator.scenario ?? 'healthy')
    expect(SCENARIO_NAMES.filter((name) => !played.includes(name))).toEqual([])
  })
})
