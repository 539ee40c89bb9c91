import { expect, test } from 'vitest'
import { decodeObject } from '../../src/api/resources/objects.ts'
import { createReadingBuilder } from '../../src/api/resources/reading.ts'
import { withResource } from '../../src/state/resources.ts'
import type { SystemState } from '../../src/state/state.ts'
import { createStatusReader } from '../../src/status/status.ts'
import { OBJECT_KINDS, type ObjectName } from '../../src/system_catalogue.ts'
import { T } from '../readings/setup.ts'
import { statusSources } from '../server/status/status_setup.ts'
import { polledSystem } from './systems.ts'

type Entry = Readonly<Record<string, unknown>>
type Entries = Partial<Readonly<Record<ObjectName, readonly Entry[]>>>

/** A system that reports these objects, as members of its responses. */
function systemWith(entries: Entries): SystemState {
  return Object.entries(entries).reduce(
    (system, [name, list]) => {
      const kind = OBJECT_KINDS[name as ObjectName]
      const builder = createReadingBuilder(kind)
      const options = { now: T, rejected: builder.rejected }
      builder.add(list.flatMap((entry) => decodeObject(entry, kind, options) ?? []))
      return withResource(system, kind.name, builder.reading(), T)
    },
    polledSystem('a', { p: [{ name: 'n1' }] }),
  )
}

function problemsOf(entries: Entries): string[] {
  const read = createStatusReader({ ...statusSources([systemWith(entries)]), ready: () => true })
  return read().problems.map(({ severity, alert, text }) => `${severity} ${alert}: ${text}`)
}

const HOUR = 3600
const DAY = 24 * HOUR
const pending = { t: T, Space: 1e9 }
const GROUP = { id: 'urn:g', name: 'rg1', chunksRepoPendingReplicationTotalSize: [pending] }
const LAGGING = { ...GROUP, replicationRpoTimestamp: T - 5 * HOUR }
const LINK = { rgName: 'rg1', zone1Name: 'north', zone2Name: 'south' }
const LICENSED = { expired_ind: false, expiration_date: T + 5 * DAY }
const gibibytes = (size: number) => size * 2 ** 20

const unacknowledged = {
  alertsNumUnackCritical: [{ t: T, Count: 1 }],
  alertsNumUnackError: [{ t: T, Count: 4 }],
}
const lag = (Replication_Group: string) => [{ Replication_Group, RPO_Lag_Millis: 2 * HOUR * 1000 }]
const LAG_HIGH = 'warning SdsReplicationLagHigh: 1 replication group more than 60m behind: rg1 (2h)'
const LAG_CRITICAL = 'critical SdsReplicationLagCritical: 1 replication group more than 4h behind: rg1 (5h)'
const LINKS_FAILED = 'critical SdsReplicationLinksFailed: 2 replication links failed to south'
const SIZES = { media: 96, finance: 90, logs: 10, unlimited: 500 }
const namespace = Object.entries(SIZES).map(([name, size]) => ({
  namespace: name,
  total_size: gibibytes(size),
}))
const quota = ['media', 'finance', 'logs'].map((name) => {
  return { namespace: name, blockSize: 100, ...(name === 'finance' && { notificationSize: 10 }) }
})

test.each<[string, Entries, ...string[]]>([
  [
    'alerts of its own',
    { vdc: [unacknowledged] },
    'critical SdsSystemAlertsCritical: 1 unacknowledged critical and 4 unacknowledged error alerts on the system',
  ],
  [
    'nodes in no status',
    { vdc: [{ numNodes: 5, numGoodNodes: 3, numBadNodes: 0, numMaintenanceNodes: 1 }] },
    'warning SdsSystemNodesUnaccounted: 1 node of the system neither Good nor Bad nor in maintenance',
  ],
  ['nodes without their number in each status', { vdc: [{ numNodes: 5, numGoodNodes: 3 }] }],
  [
    'directory tables that are not ready',
    { directoryTables: [{ total: 128, unready: 2, unknown: 1 }] },
    'critical SdsDirectoryTablesUnready: 3 directory tables not ready',
  ],
  ['failed links', { failedLink: [LINK, { ...LINK, rgName: 'rg2' }] }, LINKS_FAILED],
  ['a failed link of which nothing is known', { failedLink: [LINK, { id: 'l2' }] }, LINKS_FAILED],
  ['a group of which data is pending for hours', { group: [LAGGING] }, LAG_CRITICAL],
  [
    'a group of which nothing is pending',
    { group: [{ ...GROUP, chunksRepoPendingReplicationTotalSize: [] }] },
  ],
  ['a group whose lag the Flux API has', { group: [GROUP], replicationLag: lag('urn:g') }, LAG_HIGH],
  ['a group whose lag has the name and not the id', { group: [GROUP], replicationLag: lag('rg1') }, LAG_HIGH],
  [
    'namespaces near their quota',
    { namespace, quota },
    'critical SdsNamespaceQuotaCritical: 1 namespace above 95.0% of the hard quota: media (96.0%)',
    'warning SdsNamespaceQuotaHigh: 1 namespace above 85.0% of the hard quota: finance (90.0%)',
  ],
  [
    'a license',
    { license: [LICENSED] },
    'notice SdsLicenseExpiring: a licensed feature of the system expires in 5d',
  ],
  [
    'a license that has expired',
    { license: [{ ...LICENSED, expired_ind: true }] },
    'warning SdsLicenseExpired: a licensed feature of the system has expired',
  ],
])('%s: the problems of the alerts', (_, entries, ...problems) => {
  expect(problemsOf(entries)).toEqual(problems)
})
