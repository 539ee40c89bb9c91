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
const CONFIG = { route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }], ...snippet }
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

/** Which of the alerts Alertmanager would tell somebody of. */
interface Case {
  readonly title: string
  readonly firing: readonly Labels[]
  readonly told: readonly Labels[]
}

const of = (alertname: string, severity: string, more: Labels = {}): Labels => ({
  alertname,
  severity,
  ...more,
})
const FRANKFURT = { system: 'frankfurt' }
const POOL = { ...FRANKFURT, pool: 'pool 1' }
const NODE = { ...POOL, node: 'n1' }
const POLL = { ...FRANKFURT, pool_id: 'p1' }

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
    title: 'the worse severity speaks for both, in its own pool',
    firing: [capacity, { ...capacity, severity: 'warning' }, otherPool],
    told: [capacity, otherPool],
  },
  {
    title: 'a full pool needs no forecast',
    firing: [capacity, of('SdsForecastShort', 'critical', POOL), of('SdsCapacityFillsSoon', 'warning', POOL)],
    told: [capacity],
  },
  {
    title: 'a system that does not answer speaks for all of itself, and for nothing else',
    firing: [unreachable, bad, failing, frozen, elsewhere, exporterDown],
    told: [unreachable, elsewhere, exporterDown],
  },
  {
    title: 'a refusal speaks for the polls that fail by it, but not for what was found before',
    firing: [
      token,
      failing,
      of('SdsPollErrorsHigh', 'warning', POLL),
      of('SdsPoolsUnknown', 'critical', FRANKFURT),
      bad,
    ],
    told: [token, bad],
  },
  {
    title: 'failing polls speak for many failed polls of the same pool',
    firing: [
      failing,
      of('SdsPollErrorsHigh', 'warning', POLL),
      of('SdsPollErrorsHigh', 'warning', { ...POLL, pool_id: 'p2' }),
    ],
    told: [failing, of('SdsPollErrorsHigh', 'warning', { ...POLL, pool_id: 'p2' })],
  },
  {
    title: 'a frozen feed speaks for its categories and nodes',
    firing: [
      frozen,
      of('SdsCategoryFrozen', 'warning', { ...POOL, category: 'health' }),
      of('SdsNodeSamplesOld', 'warning', NODE),
    ],
    told: [frozen],
  },
  {
    title: 'several nodes that are gone are one call, but a suspect one is news',
    firing: [
      unavailable,
      bad,
      of('SdsNodeNotAccessible', 'warning', NODE),
      of('SdsNodeSuspect', 'warning', NODE),
    ],
    told: [unavailable, of('SdsNodeSuspect', 'warning', NODE)],
  },
  {
    title: 'a bad node speaks for its samples and latency, not for its bad disks, nor for other nodes',
    firing: [
      bad,
      badDisks,
      of('SdsNodeSamplesOld', 'warning', NODE),
      of('SdsNodeLatencyOutlier', 'warning', NODE),
      of('SdsNodeLatencyOutlier', 'warning', { ...NODE, node: 'n2' }),
    ],
    told: [bad, badDisks, of('SdsNodeLatencyOutlier', 'warning', { ...NODE, node: 'n2' })],
  },
  { title: 'an enclosure speaks for its disks', firing: [many, badDisks], told: [many] },
  {
    title: 'no exporter at all speaks for everything',
    firing: [absent, exporterDown, bad, unreachable],
    told: [absent],
  },
  {
    title: 'warnings alone are told',
    firing: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
    told: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
  },
]

describe('Alertmanager', () => {
  let alertmanager: Alertmanager
  beforeAll(async () => {
    alertmanager = await startAlertmanager(CONFIG)
  })
  afterAll(() => alertmanager.stop())

  const told = async (cluster: string, count: number): Promise<string[] | undefined> => {
    const alerts = (await alertmanager.alerts()).filter(({ labels }) => labels['cluster'] === cluster)
    if (alerts.length < count) return undefined
    return alerts.filter(({ status }) => status.inhibitedBy.length === 0).map(({ labels }) => key(labels))
  }
  const key = ({ cluster: _cluster, ...labels }: Labels): string =>
    JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))

  // One Alertmanager for all: each case lives in a cluster of its own, and none may touch another.
  test.each(CASES.map((row, index) => ({ ...row, cluster: `c${index}` })))('$title', async (row) => {
    const alerts = row.firing.map((labels) => ({ labels: { ...labels, cluster: row.cluster } }))
    const response = await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(alerts),
    })
    expect(response.status).toBe(200)
    const wanted = row.told.map(key).toSorted()
    // The inhibitor hears of new alerts a moment after the list of alerts.
    const seen = await waitFor(
      async () => {
        const now = (await told(row.cluster, row.firing.length))?.toSorted()
        return now?.length === wanted.length ? now : undefined
      },
      { what: `${wanted.length} alerts to be told`, detail: alertmanager.log },
    )
    expect(seen).toEqual(wanted)
  })
})

describe('the table of scenarios', () => {
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
