import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type ExpectedAlert, FAULTS } from '../../../grafana/mixin/rules/faults.ts'
import { ALERT_GROUPS } from '../../../grafana/mixin/rules/rules.ts'
import { SCENARIO_NAMES } from '../../../src/emulator/model/scenarios.ts'
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
interface Case {
  readonly notified: readonly Labels[]
  readonly inhibited: readonly Labels[]
}

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
  'a missing shard inhibits its servers and systems that vanished': {
    notified: [shardMissing, { ...replicaMissing, shard: '0' }],
    inhibited: [replicaMissing, vanished],
  },
  'nodes of the feed that are not available are those that the system does not count': {
    notified: [of('SdsNodeNotAccessible', NODE), { ...unaccounted, system: 'paris' }],
    inhibited: [unaccounted],
  },
  'a bad node is the cause of alerts of its own system only': {
    notified: [bad, of('SdsSystemAlertsCritical', { system: 'paris' })],
    inhibited: [of('SdsSystemAlertsCritical', FRANKFURT), of('SdsSystemAlertsError', FRANKFURT)],
  },
  'several unavailable nodes are the cause of directory tables that are not ready': {
    notified: [unavailable],
    inhibited: [of('SdsDirectoryTablesUnready', FRANKFURT)],
  },
  'a bad node inhibits the recovery of its pool, bad disks do not': {
    notified: [bad, badDisks, { ...recovery, pool: 'pool 2' }],
    inhibited: [recovery],
  },
  'garbage collection that is off reclaims nothing, in its scope': {
    notified: [collectionOff, { ...notReclaimed, scope: 'system' }],
    inhibited: [notReclaimed],
  },
  'failed links inhibit lags and backlogs of the system': {
    notified: [linksFailed],
    inhibited: [
      lagging,
      of('SdsReplicationLagCritical', OTHER_GROUP),
      backlog,
      of('SdsReplicationBootstrapStalled', GROUP),
    ],
  },
  'a lag inhibits the backlog of its group': {
    notified: [lagging, { ...backlog, ...OTHER_GROUP }],
    inhibited: [backlog],
  },
  'a critical quota inhibits the warning and the trend of its namespace only': {
    notified: [
      of('SdsNamespaceQuotaCritical', NAMESPACE),
      of('SdsNamespaceQuotaHigh', { ...NAMESPACE, namespace: 'ns 2' }),
    ],
    inhibited: [of('SdsNamespaceQuotaHigh', NAMESPACE), quotaReachedSoon],
  },
  'the critical lag of a group does not inhibit the lag of another one': {
    notified: [of('SdsReplicationLagCritical', OTHER_GROUP), lagging],
    inhibited: [],
  },
  'refused requests, and pools that are not known, inhibit failing resources': {
    notified: [token],
    inhibited: [of('SdsPoolsUnknown', FRANKFURT), resourceFailing],
  },
  'a full pool inhibits its forecast': {
    notified: [capacity],
    inhibited: [
      of('SdsForecastCritical', POOL),
      of('SdsForecastShort', POOL),
      of('SdsCapacityFillsSoon', POOL),
    ],
  },
  'an unreachable system inhibits its own alerts only': {
    notified: [unreachable, elsewhere, exporterDown],
    inhibited: [bad, failing, frozen],
  },
  'an unreachable system does not inhibit its certificate, which may be the cause': {
    notified: [unreachable, of('SdsCertificateCritical', FRANKFURT)],
    inhibited: [failing, of('SdsCertificateExpiring', FRANKFURT)],
  },
  'a system without an exporter inhibits its other alerts': {
    notified: [vanished, elsewhere, of('SdsCertificateExpiring', FRANKFURT)],
    inhibited: [bad, failing],
  },
  'a refusal inhibits failed polls and pools that are not known, but no alerts about nodes': {
    notified: [token, bad],
    inhibited: [
      failing,
      of('SdsPollErrorsHigh', POLL),
      of('SdsPoolsUnknown', FRANKFURT),
      of('SdsPoolVanished', POLL),
    ],
  },
  'pools that are not known are not reported one by one': {
    notified: [of('SdsPoolsUnknown', FRANKFURT)],
    inhibited: [of('SdsPoolVanished', POLL)],
  },
  'a pool that vanished does not inhibit its failed polls, which may say why': {
    notified: [of('SdsPoolVanished', POLL), failing],
    inhibited: [],
  },
  'failing polls inhibit many failed polls of the same pool': {
    notified: [failing, of('SdsPollErrorsHigh', { ...POLL, pool: 'pool 2', pool_id: 'p2' })],
    inhibited: [of('SdsPollErrorsHigh', POLL)],
  },
  'a frozen feed inhibits its categories and nodes': {
    notified: [frozen],
    inhibited: [of('SdsCategoryFrozen', { ...POOL, category: 'health' }), of('SdsNodeSamplesOld', NODE)],
  },
  'several unavailable nodes inhibit the single ones and the traffic, but not suspect ones': {
    notified: [unavailable, of('SdsNodesSuspect', POOL)],
    inhibited: [bad, of('SdsNodeNotAccessible', NODE), of('SdsTrafficCollapsed', POOL)],
  },
  'a bad node inhibits its samples and latency, not bad disks, and no other nodes': {
    notified: [bad, badDisks, of('SdsNodeLatencyOutlier', { ...NODE, node: 'n2' })],
    inhibited: [of('SdsNodeSamplesOld', NODE), of('SdsNodeLatencyOutlier', NODE)],
  },
  'failing queries inhibit the attributes that disappeared': {
    notified: [
      of('SdsQueryFailing', FRANKFURT),
      of('SdsAttributesDisappeared', { ...POLL, system: 'paris' }),
    ],
    inhibited: [of('SdsAttributesDisappeared', POLL)],
  },
  'many failures inhibit single bad disks': { notified: [many], inhibited: [badDisks] },
  'bad disks inhibit the space that is offline for them, in their system': {
    notified: [badDisks, { ...offline, system: 'paris' }],
    inhibited: [offline],
  },
  'server errors inhibit all failures of the pool': {
    notified: [ownErrorsCritical],
    inhibited: [ownErrors, anyErrorsCritical, anyErrors],
  },
  'few server errors do not inhibit a critical number of all failures': {
    notified: [ownErrors, anyErrorsCritical],
    inhibited: [anyErrors],
  },
  'a slow pool is not reported as slower than usual, too': {
    notified: [
      of('SdsReadLatencyHigh', POOL),
      of('SdsWriteLatencyIncreased', POOL),
      of('SdsWriteLatencyHigh', OTHER_POOL),
    ],
    inhibited: [of('SdsReadLatencyIncreased', POOL), of('SdsWriteLatencyIncreased', OTHER_POOL)],
  },
  'no exporter inhibits everything': {
    notified: [absent],
    inhibited: [exporterDown, bad, unreachable, vanished],
  },
  'warnings alone are not inhibited': {
    notified: [exporterDown, badDisks, of('SdsPollErrorsHigh', POLL)],
    inhibited: [],
  },
}

const LEVELS = ALERTS.flatMap(({ alert, escalates }): [string, Case][] => {
  if (escalates === undefined) return []
  const critical = of(alert, POOL)
  const title = `${alert} inhibits ${escalates} in the same pool only`
  return [[title, { notified: [critical, of(escalates, OTHER_POOL)], inhibited: [of(escalates, POOL)] }]]
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
  return [
    `alerts of the fault ${name}`,
    { notified: notified.flatMap(labelsOf), inhibited: inhibited.flatMap(labelsOf) },
  ]
})

test('every inhibition rule is tested', () => {
  const firesIn = ({ notified, inhibited }: Case, names: readonly string[]) =>
    [...notified, ...inhibited].some(({ alertname = '' }) => names.includes(alertname))
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
      const firing = [...row.notified, ...row.inhibited]
      const alerts = firing.map((labels) => ({ labels: { ...labels, cluster } }))
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
  expect(SCENARIO_NAMES.filter((name) => !played.includes(name))).toEqual([])
})
