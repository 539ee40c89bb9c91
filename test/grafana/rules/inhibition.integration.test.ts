import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type ExpectedAlert, FAULTS, waitOf } from '../../../grafana/mixin/rules/faults.ts'
import { ALERT_GROUPS } from '../../../grafana/mixin/rules/rules.ts'
import { temporaryFolder } from '../../support/folders.ts'
import {
  type Alertmanager,
  checkAlertmanagerConfig,
  startAlertmanager,
} from '../../support/programs/alertmanager.ts'
import { checkConfig } from '../../support/promtool.ts'
import { waitFor } from '../../support/wait.ts'

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
const OTHER_POOL = { ...FRANKFURT, pool: 'pool 2' }
const NODE = { ...POOL, node: 'n1' }
const POLL = { ...POOL, pool_id: 'p1' }

const capacity = of('SdsCapacityCritical', 'critical', POOL)
const otherPool = of('SdsCapacityHigh', 'warning', OTHER_POOL)
const unreachable = of('SdsSystemUnreachable', 'critical', FRANKFURT)
const vanished = of('SdsSystemVanished', 'critical', FRANKFURT)
const certificates = [
  of('SdsCertificateExpiring', 'warning', FRANKFURT),
  of('SdsCertificateCritical', 'critical', FRANKFURT),
]
const elsewhere = of('SdsNodeBad', 'critical', { ...NODE, system: 'paris' })
const exporterDown = of('SdsExporterDown', 'warning', { instance: 'a' })
const token = of('SdsTokenRefused', 'critical', FRANKFURT)
const failing = of('SdsPoolPollsFailing', 'critical', POLL)
const frozen = of('SdsFeedFrozen', 'critical', POOL)
const unavailable = of('SdsNodesUnavailable', 'critical', POOL)
const bad = of('SdsNodeBad', 'critical', NODE)
const badDisks = of('SdsDisksBad', 'warning', POOL)
const many = of('SdsDiskFailuresMany', 'critical', POOL)
const offline = of('SdsDiskSpaceOffline', 'warning', FRANKFURT)
const absent = of('SdsExporterAbsent', 'critical')
const ownErrors = of('SdsSystemErrors', 'warning', POOL)
const ownErrorsCritical = of('SdsSystemErrorsCritical', 'critical', POOL)
const anyErrors = of('SdsTransactionErrors', 'warning', POOL)
const anyErrorsCritical = of('SdsTransactionErrorsCritical', 'critical', POOL)

const NAMESPACE = { ...FRANKFURT, namespace: 'ns 1' }
const GROUP = { ...FRANKFURT, replication_group: 'rg 1' }
const OTHER_GROUP = { ...FRANKFURT, replication_group: 'rg 2' }
const unaccounted = of('SdsSystemNodesUnaccounted', 'warning', FRANKFURT)
const linksFailed = of('SdsReplicationLinksFailed', 'critical', FRANKFURT)
const lagging = of('SdsReplicationLagHigh', 'warning', GROUP)
const backlog = of('SdsReplicationBacklogGrowing', 'warning', GROUP)
const collectionOff = of('SdsGarbageCollectionOff', 'warning', { ...POOL, scope: 'user' })
const notReclaimed = of('SdsGarbageNotReclaimed', 'warning', { ...POOL, scope: 'user' })
const recovery = of('SdsRecoveryPending', 'warning', POOL)
const quotaReachedSoon = of('SdsNamespaceQuotaReachedSoon', 'warning', NAMESPACE)
const resourceFailing = of('SdsResourceFailing', 'warning', { ...FRANKFURT, resource: 'pools' })

const shardMissing = of('SdsShardMissing', 'critical', { shard: '1' })
const replicaMissing = of('SdsShardReplicaMissing', 'warning', { shard: '1', replica: 'a' })

const OF_SYSTEMS: readonly Case[] = [
  {
    title: 'a missing shard inhibits its servers and systems that vanished',
    firing: [shardMissing, replicaMissing, { ...replicaMissing, shard: '0' }, vanished],
    notified: [shardMissing, { ...replicaMissing, shard: '0' }],
  },
  {
    title: 'nodes of the feed that are not available are those that the system does not count',
    firing: [of('SdsNodeNotAccessible', 'warning', NODE), unaccounted, { ...unaccounted, system: 'paris' }],
    notified: [of('SdsNodeNotAccessible', 'warning', NODE), { ...unaccounted, system: 'paris' }],
  },
  {
    title: 'several unavailable nodes are the cause of directory tables that are not ready',
    firing: [unavailable, of('SdsDirectoryTablesUnready', 'critical', FRANKFURT)],
    notified: [unavailable],
  },
  {
    title: 'a bad node inhibits the recovery of its pool, bad disks do not',
    firing: [bad, recovery, badDisks, { ...recovery, pool: 'pool 2' }],
    notified: [bad, badDisks, { ...recovery, pool: 'pool 2' }],
  },
  {
    title: 'garbage collection that is off reclaims nothing, in its scope',
    firing: [collectionOff, notReclaimed, { ...notReclaimed, scope: 'system' }],
    notified: [collectionOff, { ...notReclaimed, scope: 'system' }],
  },
  {
    title: 'failed links inhibit lags and backlogs of the system',
    firing: [
      linksFailed,
      lagging,
      of('SdsReplicationLagCritical', 'critical', OTHER_GROUP),
      backlog,
      of('SdsReplicationBootstrapStalled', 'warning', GROUP),
    ],
    notified: [linksFailed],
  },
  {
    title: 'a lag inhibits the backlog of its group',
    firing: [lagging, backlog, { ...backlog, ...OTHER_GROUP }],
    notified: [lagging, { ...backlog, ...OTHER_GROUP }],
  },
  {
    title: 'a critical quota inhibits the warning and the trend of its namespace only',
    firing: [
      of('SdsNamespaceQuotaCritical', 'critical', NAMESPACE),
      of('SdsNamespaceQuotaHigh', 'warning', NAMESPACE),
      of('SdsNamespaceQuotaHigh', 'warning', { ...NAMESPACE, namespace: 'ns 2' }),
      quotaReachedSoon,
    ],
    notified: [
      of('SdsNamespaceQuotaCritical', 'critical', NAMESPACE),
      of('SdsNamespaceQuotaHigh', 'warning', { ...NAMESPACE, namespace: 'ns 2' }),
    ],
  },
  {
    title: 'the critical lag of a group does not inhibit the lag of another one',
    firing: [of('SdsReplicationLagCritical', 'critical', OTHER_GROUP), lagging],
    notified: [of('SdsReplicationLagCritical', 'critical', OTHER_GROUP), lagging],
  },
  {
    title: 'refused requests, and pools that are not known, inhibit failing resources',
    firing: [token, of('SdsPoolsUnknown', 'critical', FRANKFURT), resourceFailing],
    notified: [token],
  },
]

const CASES: readonly Case[] = [
  ...OF_SYSTEMS,
  {
    title: 'critical inhibits warning, in the same pool',
    firing: [capacity, of('SdsCapacityHigh', 'warning', POOL), otherPool],
    notified: [capacity, otherPool],
  },
  {
    title: 'a full pool inhibits its forecast',
    firing: [
      capacity,
      of('SdsForecastCritical', 'critical', POOL),
      of('SdsForecastShort', 'warning', POOL),
      of('SdsCapacityFillsSoon', 'warning', POOL),
    ],
    notified: [capacity],
  },
  {
    title: 'an unreachable system inhibits its own alerts only',
    firing: [unreachable, bad, failing, frozen, elsewhere, exporterDown],
    notified: [unreachable, elsewhere, exporterDown],
  },
  {
    title: 'an unreachable system does not inhibit its certificate, which may be the cause',
    firing: [unreachable, failing, ...certificates],
    notified: [unreachable, of('SdsCertificateCritical', 'critical', FRANKFURT)],
  },
  {
    title: 'a system without an exporter inhibits its other alerts',
    firing: [vanished, bad, failing, elsewhere, of('SdsCertificateExpiring', 'warning', FRANKFURT)],
    notified: [vanished, elsewhere, of('SdsCertificateExpiring', 'warning', FRANKFURT)],
  },
  {
    title: 'a refusal inhibits failed polls and pools that are not known, but no alerts about nodes',
    firing: [
      token,
      failing,
      of('SdsPollErrorsHigh', 'warning', POLL),
      of('SdsPoolsUnknown', 'critical', FRANKFURT),
      of('SdsPoolVanished', 'critical', POLL),
      bad,
    ],
    notified: [token, bad],
  },
  {
    title: 'pools that are not known are not reported one by one',
    firing: [of('SdsPoolsUnknown', 'critical', FRANKFURT), of('SdsPoolVanished', 'critical', POLL)],
    notified: [of('SdsPoolsUnknown', 'critical', FRANKFURT)],
  },
  {
    title: 'a pool that vanished does not inhibit its failed polls, which may say why',
    firing: [of('SdsPoolVanished', 'critical', POLL), failing],
    notified: [of('SdsPoolVanished', 'critical', POLL), failing],
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
    title: 'several unavailable nodes inhibit the single ones and the traffic, but not suspect ones',
    firing: [
      unavailable,
      bad,
      of('SdsNodeNotAccessible', 'warning', NODE),
      of('SdsTrafficCollapsed', 'warning', POOL),
      of('SdsNodesSuspect', 'warning', POOL),
    ],
    notified: [unavailable, of('SdsNodesSuspect', 'warning', POOL)],
  },
  {
    title: 'a bad node inhibits its samples and latency, not bad disks, and no other nodes',
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
    title: 'bad disks inhibit the space that is offline for them, in their system',
    firing: [badDisks, offline, { ...offline, system: 'paris' }],
    notified: [badDisks, { ...offline, system: 'paris' }],
  },
  {
    title: 'failures by the fault of the system inhibit all failures of the pool',
    firing: [ownErrorsCritical, ownErrors, anyErrorsCritical, anyErrors],
    notified: [ownErrorsCritical],
  },
  {
    title: 'few failures by the fault of the system do not inhibit a critical number of all failures',
    firing: [ownErrors, anyErrorsCritical, anyErrors],
    notified: [ownErrors, anyErrorsCritical],
  },
  {
    title: 'a slow pool is not reported as slower than usual, too',
    firing: [
      of('SdsReadLatencyHigh', 'warning', POOL),
      of('SdsReadLatencyIncreased', 'warning', POOL),
      of('SdsWriteLatencyIncreased', 'warning', POOL),
      of('SdsWriteLatencyHigh', 'warning', OTHER_POOL),
      of('SdsWriteLatencyIncreased', 'warning', OTHER_POOL),
    ],
    notified: [
      of('SdsReadLatencyHigh', 'warning', POOL),
      of('SdsWriteLatencyIncreased', 'warning', POOL),
      of('SdsWriteLatencyHigh', 'warning', OTHER_POOL),
    ],
  },
  {
    title: 'no exporter inhibits everything',
    firing: [absent, exporterDown, bad, unreachable, vanished],
    notified: [absent],
  },
  {
    title: 'warnings alone are not inhibited',
    firing: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
    notified: [exporterDown, badDisks, of('SdsPollErrorsHigh', 'warning', POLL)],
  },
  ...ALERTS.flatMap(({ alert, escalates = '' }): Case[] => {
    const other = of(escalates, 'warning', OTHER_POOL)
    const firing = [of(alert, 'critical', POOL), of(escalates, 'warning', POOL), other]
    const notified = [of(alert, 'critical', POOL), other]
    return escalates === ''
      ? []
      : [{ title: `${alert} inhibits ${escalates} in the same pool only`, firing, notified }]
  }),
]

/** As the alerts of the table of faults; those of categories have the category instead of a node. */
const CASES_OF_FAULTS = FAULTS.filter(({ alerts }) => alerts.length > 0).map(({ name, alerts }): Case => {
  const labelsOf = (expected: ExpectedAlert): Labels[] => {
    const { severity = '' } = ALERTS.find(({ alert }) => alert === expected.alert) ?? {}
    return expected.on.map((subject) => {
      const [pool, part] = subject === '' ? [] : subject.split('/')
      const key = expected.alert === 'SdsCategoryFrozen' ? 'category' : 'node'
      return of(expected.alert, severity, {
        system: name,
        ...(pool && { pool }),
        ...(part && { [key]: part }),
      })
    })
  }
  return {
    title: `alerts of the fault ${name}`,
    firing: alerts.flatMap(labelsOf),
    notified: alerts.filter(({ inhibited }) => inhibited === undefined).flatMap(labelsOf),
  }
})

test('every inhibition rule is tested', () => {
  const firesIn = ({ firing }: Case, names: readonly string[]) =>
    firing.some(({ alertname = '' }) => names.includes(alertname))
  const namesIn = (matchers: readonly string[]) =>
    matchers.filter((matcher) => !matcher.includes('!~')).flatMap((text) => text.match(/Sds[A-Za-z]+/g) ?? [])
  const untested = snippet.inhibit_rules.filter(({ source_matchers, target_matchers }) => {
    const targets = namesIn(target_matchers)
    return !CASES.some(
      (row) => firesIn(row, namesIn(source_matchers)) && (targets.length === 0 || firesIn(row, targets)),
    )
  })
  expect(untested).toEqual([])
})

/** The rules of kube-prometheus and of the chart kube-prometheus-stack. */
const KUBE_PROMETHEUS: readonly InhibitRule[] = [
  {
    source_matchers: ['severity = critical'],
    target_matchers: ['severity =~ warning|info'],
    equal: ['namespace', 'alertname'],
  },
  {
    source_matchers: ['severity = warning'],
    target_matchers: ['severity = info'],
    equal: ['namespace', 'alertname'],
  },
  {
    source_matchers: ['alertname = InfoInhibitor'],
    target_matchers: ['severity = info'],
    equal: ['namespace'],
  },
]

describe.each([
  ['with these rules', []],
  ['with the rules of kube-prometheus before them', KUBE_PROMETHEUS],
])('Alertmanager %s', (_, before) => {
  let alertmanager: Alertmanager
  beforeAll(async () => {
    alertmanager = await startAlertmanager({
      ...CONFIG,
      inhibit_rules: [...before, ...snippet.inhibit_rules],
    })
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
  test.each([...CASES, ...CASES_OF_FAULTS].map((row, index) => ({ ...row, cluster: `c${index}` })))(
    '$title',
    async (row) => {
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
    },
  )
})

describe('the table of faults', () => {
  test.each(FAULTS)('expects alerts that exist for $name', ({ alerts, tolerated = [] }) => {
    for (const { alert, on } of alerts) {
      expect(waitOf(alert)).toBeGreaterThanOrEqual(0)
      expect(on.length).toBeGreaterThan(0)
    }
    for (const name of tolerated) expect(ALERTS.map(({ alert }) => alert)).toContain(name)
  })

  test('covers every scenario of the emulator except that of quotas, whose alerts need days', async () => {
    const besideNodes: string[] = ['quota-near']
    const { SCENARIO_NAMES } = await import('../../../src/emulator/model/scenarios.ts')
    const played = [...besideNodes, ...FAULTS.map(({ emulator }) => emulator.scenario ?? 'healthy')]
    expect(SCENARIO_NAMES.filter((name) => !played.includes(name))).toEqual([])
  })
})
