import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type ExpectedAlert, FAULTS } from '../../../grafana/mixin/rules/faults.ts'
import { ALERT_GROUPS } from '../../../grafana/mixin/rules/rules.ts'
import { SCENARIOS } from '../../../src/emulator/model/scenarios.ts'
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

/** Firing alerts. */
type Case = readonly [notified: readonly Labels[], inhibited: readonly Labels[]]

function of(alertname: string, more: Labels = {}): Labels {
  const row = ALERTS.find(({ alert }) => alert === alertname)
  if (row === undefined) throw new Error(`there is no alert ${alertname}`)
  return { alertname, severity: row.severity, ...more }
}
const FRANKFURT = { system: 'frankfurt' }
const POOL = { ...FRANKFURT, pool: 'pool 1' }
const OTHER_POOL = { ...FRANKFURT, pool: 'pool 2' }
const NODE = { ...POOL, node: 'n1' }
const POLL = { ...POOL, pool_id: 'p1' }

const capacity = of('SdsCapacityCritical', POOL)
const unreachable = of('SdsSystemUnreachable', FRANKFURT)
const vanished = of('SdsSystemVanished', FRANKFURT)
const elsewhere = of('SdsNodeBad', { ...NODE, system: 'paris' })
const exporterDown = of('SdsExporterDown', { instance: 'a' })
const token = of('SdsTokenRefused', FRANKFURT)
const failing = of('SdsPoolPollsFailing', POLL)
const frozen = of('SdsFeedFrozen', POOL)
const unavailable = of('SdsNodesUnavailable', POOL)
const bad = of('SdsNodeBad', NODE)
const badDisks = of('SdsDisksBad', POOL)
const many = of('SdsDiskFailuresMany', POOL)
const offline = of('SdsDiskSpaceOffline', FRANKFURT)
const absent = of('SdsExporterAbsent')
const ownErrors = of('SdsSystemErrors', POOL)
const ownErrorsCritical = of('SdsSystemErrorsCritical', POOL)
const anyErrors = of('SdsTransactionErrors', POOL)
const anyErrorsCritical = of('SdsTransactionErrorsCritical', POOL)

const NAMESPACE = { ...FRANKFURT, namespace: 'ns 1' }
const GROUP = { ...FRANKFURT, replication_group: 'rg 1' }
const OTHER_GROUP = { ...FRANKFURT, replication_group: 'rg 2' }
const unaccounted = of('SdsSystemNodesUnaccounted', FRANKFURT)
const linksFailed = of('SdsReplicationLinksFailed', FRANKFURT)
const lagging = of('SdsReplicationLagHigh', GROUP)
const backlog = of('SdsReplicationBacklogGrowing', GROUP)
const collectionOff = of('SdsGarbageCollectionOff', { ...POOL, scope: 'user' })
const notReclaimed = of('SdsGarbageNotReclaimed', { ...POOL, scope: 'user' })
const recovery = of('SdsRecoveryPending', POOL)
const quotaReachedSoon = of('SdsNamespaceQuotaReachedSoon', NAMESPACE)
const resourceFailing = of('SdsResourceFailing', { ...FRANKFURT, resource: 'pools' })

const shardMissing = of('SdsShardMissing', { shard: '1' })
const replicaMissing = of('SdsShardReplicaMissing', { shard: '1', replica: 'a' })

const CASES: Readonly<Record<string, Case>> = {
  'a missing shard inhibits its servers and systems that vanished': [
    [shardMissing, { ...replicaMissing, shard: '0' }],
    [replicaMissing, vanished],
  ],
  'nodes of the feed that are not available are those that the system does not count': [
    [of('SdsNodeNotAccessible', NODE), { ...unaccounted, system: 'paris' }],
    [unaccounted],
  ],
  'a bad node is the cause of alerts of its own system only': [
    [bad, of('SdsSystemAlertsCritical', { system: 'paris' })],
    [of('SdsSystemAlertsCritical', FRANKFURT), of('SdsSystemAlertsError', FRANKFURT)],
  ],
  'several unavailable nodes are the cause of directory tables that are not ready': [
    [unavailable],
    [of('SdsDirectoryTablesUnready', FRANKFURT)],
  ],
  'a bad node inhibits the recovery of its pool, bad disks do not': [
    [bad, badDisks, { ...recovery, pool: 'pool 2' }],
    [recovery],
  ],
  'garbage collection that is off reclaims nothing, in its scope': [
    [collectionOff, { ...notReclaimed, scope: 'system' }],
    [notReclaimed],
  ],
  'failed links inhibit lags and backlogs of the system': [
    [linksFailed],
    [
      lagging,
      of('SdsReplicationLagCritical', OTHER_GROUP),
      backlog,
      of('SdsReplicationBootstrapStalled', GROUP),
    ],
  ],
  'a lag inhibits the backlog of its group': [[lagging, { ...backlog, ...OTHER_GROUP }], [backlog]],
  'a critical quota inhibits the warning and the trend of its namespace only': [
    [
      of('SdsNamespaceQuotaCritical', NAMESPACE),
      of('SdsNamespaceQuotaHigh', { ...NAMESPACE, namespace: 'ns 2' }),
    ],
    [of('SdsNamespaceQuotaHigh', NAMESPACE), quotaReachedSoon],
  ],
  'the critical lag of a group does not inhibit the lag of another one': [
    [of('SdsReplicationLagCritical', OTHER_GROUP), lagging],
    [],
  ],
  'refused requests, and pools that are not known, inhibit failing resources': [
    [token],
    [of('SdsPoolsUnknown', FRANKFURT), resourceFailing],
  ],
  'a full pool inhibits its forecast': [
    [capacity],
    [of('SdsForecastCritical', POOL), of('SdsForecastShort', POOL), of('SdsCapacityFillsSoon', POOL)],
  ],
  'an unreachable system inhibits its own alerts only': [
    [unreachable, elsewhere, exporterDown],
    [bad, failing, frozen],
  ],
  'an unreachable system does not inhibit its certificate, which may be the cause': [
    [unreachable, of('SdsCertificateCritical', FRANKFURT)],
    [failing, of('SdsCertificateExpiring', FRANKFURT)],
  ],
  'a system without an exporter inhibits its other alerts': [
    [vanished, elsewhere, of('SdsCertificateExpiring', FRANKFURT)],
    [bad, failing],
  ],
  'a refusal inhibits failed polls and pools that are not known, but no alerts about nodes': [
    [token, bad],
    [failing, of('SdsPollErrorsHigh', POLL), of('SdsPoolsUnknown', FRANKFURT), of('SdsPoolVanished', POLL)],
  ],
  'pools that are not known are not reported one by one': [
    [of('SdsPoolsUnknown', FRANKFURT)],
    [of('SdsPoolVanished', POLL)],
  ],
  'a pool that vanished does not inhibit its failed polls, which may say why': [
    [of('SdsPoolVanished', POLL), failing],
    [],
  ],
  'failing polls inhibit many failed polls of the same pool': [
    [failing, of('SdsPollErrorsHigh', { ...POLL, pool: 'pool 2', pool_id: 'p2' })],
    [of('SdsPollErrorsHigh', POLL)],
  ],
  'a frozen feed inhibits its categories and nodes': [
    [frozen],
    [of('SdsCategoryFrozen', { ...POOL, category: 'health' }), of('SdsNodeSamplesOld', NODE)],
  ],
  'several unavailable nodes inhibit the single ones and the traffic, but not suspect ones': [
    [unavailable, of('SdsNodesSuspect', POOL)],
    [bad, of('SdsNodeNotAccessible', NODE), of('SdsTrafficCollapsed', POOL)],
  ],
  'a bad node inhibits its samples and latency, not bad disks, and no other nodes': [
    [bad, badDisks, of('SdsNodeLatencyOutlier', { ...NODE, node: 'n2' })],
    [of('SdsNodeSamplesOld', NODE), of('SdsNodeLatencyOutlier', NODE)],
  ],
  'failing queries inhibit the attributes that disappeared': [
    [of('SdsQueryFailing', FRANKFURT), of('SdsAttributesDisappeared', { ...POLL, system: 'paris' })],
    [of('SdsAttributesDisappeared', POLL)],
  ],
  'many failures inhibit single bad disks': [[many], [badDisks]],
  'bad disks inhibit the space that is offline for them, in their system': [
    [badDisks, { ...offline, system: 'paris' }],
    [offline],
  ],
  'server errors inhibit all failures of the pool': [
    [ownErrorsCritical],
    [ownErrors, anyErrorsCritical, anyErrors],
  ],
  'few server errors do not inhibit a critical number of all failures': [
    [ownErrors, anyErrorsCritical],
    [anyErrors],
  ],
  'a slow pool is not reported as slower than usual, too': [
    [
      of('SdsReadLatencyHigh', POOL),
      of('SdsWriteLatencyIncreased', POOL),
      of('SdsWriteLatencyHigh', OTHER_POOL),
    ],
    [of('SdsReadLatencyIncreased', POOL), of('SdsWriteLatencyIncreased', OTHER_POOL)],
  ],
  'no exporter inhibits everything': [[absent], [exporterDown, bad, unreachable, vanished]],
  'warnings alone are not inhibited': [[exporterDown, badDisks, of('SdsPollErrorsHigh', POLL)], []],
}

const LEVELS = ALERTS.flatMap(({ alert, escalates }): [string, Case][] => {
  if (escalates === undefined) return []
  const critical = of(alert, POOL)
  const title = `${alert} inhibits ${escalates} in the same pool only`
  return [[title, [[critical, of(escalates, OTHER_POOL)], [of(escalates, POOL)]]]]
})

/** As the alerts of the table of faults; those of categories have the category instead of a node. */
const OF_FAULTS = FAULTS.filter(({ alerts }) => alerts.length > 0).map(({ name, alerts }): [string, Case] => {
  const labelsOf = ({ alert, on }: ExpectedAlert): Labels[] =>
    on.map((subject) => {
      const [pool, part] = subject === '' ? [] : subject.split('/')
      const key = alert === 'SdsCategoryFrozen' ? 'category' : 'node'
      return of(alert, { system: name, ...(pool && { pool }), ...(part && { [key]: part }) })
    })
  const { inhibited = [], notified = [] } = Object.groupBy(alerts, (alert) =>
    alert.inhibited ? 'inhibited' : 'notified',
  )
  return [`alerts of the fault ${name}`, [notified.flatMap(labelsOf), inhibited.flatMap(labelsOf)]]
})

test('every inhibition rule is tested', () => {
  const firesIn = (row: Case, names: readonly string[]) =>
    row.flat().some(({ alertname = '' }) => names.includes(alertname))
  const namesIn = (matchers: readonly string[]) =>
    matchers.filter((matcher) => !matcher.includes('!~')).flatMap((text) => text.match(/Sds[A-Za-z]+/g) ?? [])
  const untested = snippet.inhibit_rules.filter(({ source_matchers, target_matchers }) => {
    const targets = namesIn(target_matchers)
    return ![...Object.values(CASES), ...LEVELS.map(([, row]) => row)].some(
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
  const rows = [...Object.entries(CASES), ...LEVELS, ...OF_FAULTS]
  test.each(rows.map(([title, row], index) => [title, row, `c${index}`] as const))(
    '%s',
    async (_, row, cluster) => {
      const firing = row.flat()
      const alerts = firing.map((labels) => ({ labels: { ...labels, cluster } }))
      const response = await fetch(`${alertmanager.url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(alerts),
      })
      expect(response.status).toBe(200)
      const expected = row[0].map(key).toSorted()
      // Inhibition is applied some time after an alert is listed.
      const seen = await waitFor(
        async () => {
          const now = (await notified(cluster, firing.length))?.toSorted()
          return now?.length === expected.length ? now : undefined
        },
        { what: `${expected.length} alerts that are not inhibited`, detail: alertmanager.log },
      )
      expect(seen).toEqual(expected)
    },
  )
})

test('the faults cover every scenario of the emulator except that of quotas, whose alerts need days', () => {
  const played: string[] = ['quota-near', ...FAULTS.map(({ emulator }) => emulator.scenario ?? 'healthy')]
  expect(Object.keys(SCENARIOS).filter((name) => !played.includes(name))).toEqual([])
})
