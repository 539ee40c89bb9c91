import { DISK_COUNTS, type DiskCount, FORECAST, type HealthState } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR, timeText } from '../../time_units.ts'
import { attributeMembers, servedCurrent, subjectOf } from '../feed/attributes.ts'
import { type FeedRequest, includesCategory } from '../feed/query.ts'
import { spaceOf } from '../model/gauges.ts'
import { diskCounts, STATISTICS_INTERVAL_SECONDS, type StorageModel } from '../model/model.ts'
import { keyOf, mix, smoothNoise, sum, uuidOf } from '../model/random.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { type Document, linksTo, listText, type Member, objectText, ZONE } from '../protocol/format.ts'
import { pendingMembers, replicationLinks, siteCount } from './replication.ts'
import { findPool, pageOf, type ResourceRequest } from './request.ts'

const ALERT_FILTERS = ['severity', 'type', 'namespace', 'acknowledged'] as const
const ALERT_SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
type AlertCounts = Partial<Record<(typeof ALERT_SEVERITIES)[number], number>>
/** Alerts that are never acknowledged. */
const LASTING_ALERTS: AlertCounts = { Warning: 1, Info: 12 }
/** In scenario "array-alerts" there is one more warning in each interval. */
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9
const ALERT_SALT = 111

/** `GET /dashboard/zones/localzone`: the values of the whole system, as pieces of JSON text. */
export function zoneText(request: FeedRequest): Iterable<string> {
  return objectText(zoneMembers(request))
}

/**
 * `GET /dashboard/zones/localzone/storagepools` as pieces of JSON text; `_links.nodes.href` is the path of the nodes of a pool.
 * As on real systems, pools have the attributes of their nodes with the history, if `dataType` does not exclude it.
 */
export function poolListText(request: FeedRequest): Iterable<string> {
  const { model, profile } = request
  // In the example of the oldest version this link ends with a blank.
  const href = `${ZONE}/storagepools${profile === 'classic' ? ' ' : ''}`
  const pools = model.pools.map((pool) => poolMembers(request, pool))
  return listText(profile, 'Storage Pool List', href, pools)
}

/** `GET /dashboard/storagepools/{id}` @throws EmulatedError 404 */
export function poolText(request: FeedRequest, id: string): Iterable<string> {
  return objectText(poolMembers(request, findPool(request.model, id)))
}

function* poolMembers(request: FeedRequest, pool: Pool): Generator<Member> {
  const self = `/dashboard/storagepools/${pool.id}`
  const nodes = nodesAt(pool, request.now)
  yield ['_links', linksTo({ self, nodes: `${self}/nodes` })]
  yield* Object.entries({ apiChange: '1', id: pool.id, name: pool.name, ...countsOf(request, nodes) })
  yield ['numNodesWithSufficientDiskSpace', String(nodes.length)]
  yield* attributeMembers(request, subjectOf(request, keyOf(pool.id), nodes))
  yield* capacityMembers(request, keyOf(pool.id), [pool])
  // Real systems serve an empty list, if the request has no category.
  if (request.query.category === undefined) yield [FORECAST.name, []]
}

function* zoneMembers(request: FeedRequest): Generator<Member> {
  const { model, now, profile } = request
  const lists = ['nodes', 'replicationgroups', 'rglinksBootstrap', 'rglinksFailed', 'storagepools']
  const hrefs = lists.map((name) => [name, `${ZONE}/${name}`])
  yield ['_links', linksTo({ self: ZONE, ...Object.fromEntries(hrefs) })]
  const nodes = model.pools.flatMap((pool) => nodesAt(pool, now))
  yield* Object.entries({
    apiChange: '1',
    id: 'localzone',
    name: model.vdcName,
    ...countsOf(request, nodes),
  })
  const alerts = alertsAt(model, now)
  for (const severity of ALERT_SEVERITIES) {
    const snapshot = { t: now - (now % 60), value: sum(alerts.map((counts) => counts[severity] ?? 0)) }
    const form = { profile, tag: 'Count', key: keyOf(severity) }
    yield [`alertsNumUnack${severity}`, servedCurrent(form, [snapshot])]
  }
  yield* attributeMembers(request, subjectOf(request, model.key, nodes))
  yield* capacityMembers(request, model.key, model.pools)
  yield* Object.entries(pendingMembers(request, replicationLinks(model, now), model.key))
}

/** The unacknowledged alerts: those of the state of the system, and some that stay. */
function alertsAt(model: StorageModel, t: number): AlertCounts[] {
  const { scenario, day } = model.timeline.periodAt(t)
  const failed = replicationLinks(model, t).filter(({ state, group }) => state === 'Failed' && group.hasData)
  const warnings = Math.min(MAX_WARNINGS, 3 + Math.floor(Math.max(0, t - day) / WARNING_SECONDS))
  return [
    ...model.pools.map((pool) => alertsOfPool(model, pool, t)),
    { Error: failed.length },
    scenario === 'array-alerts' ? { Critical: 1, Error: 2, Warning: warnings } : {},
    LASTING_ALERTS,
  ]
}

/** `GET /vdc/alerts`: as many as the system counts, one an hour, the newest first. Only their severities are real. */
export function alertList(request: ResourceRequest): Document {
  const { query, model, now } = request
  const counts = alertsAt(model, now)
  const all = ALERT_SEVERITIES.flatMap((severity) => {
    const count = sum(counts.map((one) => one[severity] ?? 0))
    return Array.from({ length: count }, () => severity.toUpperCase())
  }).map((severity, index) => ({
    id: `urn:storageos:Alert:${uuidOf(mix(mix(model.key, ALERT_SALT), index))}`,
    type: 'Emulated',
    severity,
    timestamp: timeText(model.timeline.periodAt(now).day - index * SECONDS_PER_HOUR).replace('Z', ''),
    namespace: '',
    description: `An emulated alert with severity ${severity}`,
    symptomCode: '0',
    acknowledged: false,
  }))
  const [start, end] = [query.get('start_time') ?? '', query.get('end_time') ?? '9999']
  const found = all.filter(
    (alert) =>
      alert.timestamp >= start &&
      alert.timestamp < end &&
      ALERT_FILTERS.every((name) => [null, String(alert[name])].includes(query.get(name))),
  )
  return pageOf(request, { root: 'alerts', list: 'alert', count: 'MaxAlerts' }, found, (alert) => alert)
}

/** Nodes that are not available and a full pool are critical, bad disks are errors. */
function alertsOfPool(model: StorageModel, pool: Pool, t: number): AlertCounts {
  const states = nodesAt(pool, t).map((node) => model.stateOf(node, t))
  const spaces = states.map(spaceOf)
  const used = sum(spaces.map(({ allocated }) => allocated)) / sum(spaces.map(({ total }) => total))
  const lost = states.filter(({ effects: { health } }) => health === 'Bad' || health === 'NotAccessible')
  return {
    Critical: lost.length + Number(used > FULL),
    Error: sum(states.map(({ effects }) => effects.badDisks)),
    Warning: Number(used > NEARLY_FULL && used <= FULL),
  }
}

const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]

/** Suspect nodes, and those that are not accessible, are in no count. */
function countsOf({ model, now }: FeedRequest, nodes: readonly Node[]) {
  const states = nodes.map((node) => model.stateOf(node, now))
  const count = (state: HealthState) =>
    String(states.filter(({ effects }) => effects.health === state).length)
  const disks = states.map(diskCounts)
  const diskSums = DISK_KEYS.map((name) => [name, String(sum(disks.map((counts) => counts[name])))])
  return {
    numNodes: String(nodes.length),
    numGoodNodes: count('Good'),
    numBadNodes: count('Bad'),
    numMaintenanceNodes: count('Maintenance'),
    ...Object.fromEntries(diskSums),
  }
}

/** What the nodes of pools do not have, as sums over pools. There is no history of it. */
function* capacityMembers(request: FeedRequest, key: number, pools: readonly Pool[]): Generator<Member> {
  const { model, now, profile, query } = request
  if (!includesCategory(query, 'capacity')) return
  if (query.current) {
    const stateAt = (t: number) => ({ t, states: pools.map((pool) => poolAt(model, pool, t)) })
    const at = {
      now: stateAt(now),
      interval: stateAt(now - (now % STATISTICS_INTERVAL_SECONDS)),
      hour: stateAt(now - (now % SECONDS_PER_HOUR)),
    }
    for (const [name, tag, when, read] of POOL_VALUES) {
      const value = sum(at[when].states.map(read))
      const t = name === BAD_CHUNKS && value === 0 ? at.hour.t - OLD_SECONDS : at[when].t
      const form = { profile, tag, key: mix(key, keyOf(name)) }
      yield [`${name}Current`, servedCurrent(form, [{ t, value }])]
    }
  }
  yield* Object.entries({ gcUserDataIsEnabled: 'true', gcSystemMetadataIsEnabled: 'true' })
}

/** Reclaimed garbage grows since then: 1 January 2020. */
const BUILT = 1_577_836_800
/** Parts of the allocated space by purpose; the rest has no purpose that systems serve. */
const ONE_SITE = { UserData: 0.62, SystemMetadata: 0.042, LocalProtection: 0.21, GeoCopy: 0, GeoCache: 0 }
const MORE_SITES: typeof ONE_SITE = { ...ONE_SITE, UserData: 0.36, GeoCopy: 0.25, GeoCache: 0.01 }
const PURPOSES = Object.keys(ONE_SITE) as (keyof typeof ONE_SITE)[]
/** Relative to the space of all disks. */
const GARBAGE = {
  User: { salt: 81, pending: 0.004, unreclaimable: 0.006, reclaimedPerDay: 0.0002 },
  System: { salt: 82, pending: 0.0003, unreclaimable: 0.0001, reclaimedPerDay: 0.00005 },
} as const
const SALTS = { coded: 83, recovery: 84 } as const
/** Time that the recovery of what is bad takes at the rate of the scenario. */
const RECOVERY_SECONDS = 6 * SECONDS_PER_HOUR
const BAD_CHUNKS = 'recoveryBadChunksTotalSize'
/** The age of the last snapshot of bad chunks of a system that has none. */
const OLD_SECONDS = 55 * SECONDS_PER_DAY

type PoolState = ReturnType<typeof poolAt>

/** What the values depend on: bytes, and MB/s of recovery. */
function poolAt(model: StorageModel, pool: Pool, t: number) {
  const nodes = nodesAt(pool, t)
  const states = nodes.map((node) => model.stateOf(node, t))
  const key = keyOf(pool.uuid)
  return {
    t,
    allocated: sum(states.map((state) => spaceOf(state).allocated)),
    disks: sum(nodes.map((node) => node.disks * node.diskBytes)),
    recovery: sum(states.map(({ effects }) => effects.recovery)),
    parts: siteCount(model, t) > 1 ? MORE_SITES : ONE_SITE,
    noise: (salt: number, period = SECONDS_PER_HOUR) => smoothNoise(mix(key, salt), t, period),
  }
}

/** Bytes of the data of users. */
export function userData(model: StorageModel, pool: Pool, t: number): number {
  return allocatedFor('UserData')(poolAt(model, pool, t))
}

const allocatedFor =
  (purpose: keyof typeof ONE_SITE) =>
  ({ allocated, parts }: PoolState) =>
    Math.floor(allocated * parts[purpose])

type GarbageRow = (typeof GARBAGE)[keyof typeof GARBAGE]
const GARBAGE_KINDS = {
  Pending: ({ disks, noise }: PoolState, { salt, pending }: GarbageRow) =>
    Math.floor(disks * pending * (1 + 0.5 * noise(salt, 6 * SECONDS_PER_HOUR))),
  Unreclaimable: ({ disks, noise }: PoolState, { salt, unreclaimable }: GarbageRow) =>
    Math.floor(disks * unreclaimable * (1 + 0.2 * noise(salt, SECONDS_PER_DAY))),
  Reclaimed: ({ disks, t }: PoolState, { reclaimedPerDay }: GarbageRow) =>
    Math.floor(disks * reclaimedPerDay * (Math.max(0, t - BUILT) / SECONDS_PER_DAY)),
}

function applicable({ allocated, parts }: PoolState): number {
  return Math.floor(allocated * (parts.UserData + parts.LocalProtection))
}

function coded(pool: PoolState): number {
  const uncoded = 0.012 * (1 + pool.noise(SALTS.coded, SECONDS_PER_DAY))
  return Math.floor(applicable(pool) * (1 - uncoded))
}

function badChunks({ recovery, noise }: PoolState): number {
  return Math.floor(recovery * 1e6 * RECOVERY_SECONDS * (1 + 0.2 * noise(SALTS.recovery)))
}

/** In bytes; the last snapshot is of now, or of the start of the current five minutes or hour. */
type PoolValue = readonly [
  name: string,
  tag: 'Capacity' | 'Space',
  at: 'now' | 'interval' | 'hour',
  value: (pool: PoolState) => number,
]

const POOL_VALUES: readonly PoolValue[] = [
  ...PURPOSES.map((purpose): PoolValue => {
    return [`diskSpaceAllocated${purpose}`, 'Capacity', 'now', allocatedFor(purpose)]
  }),
  ...Object.entries(GARBAGE).flatMap(([scope, row]) => {
    const detected = (pool: PoolState) => sum(Object.values(GARBAGE_KINDS).map((read) => read(pool, row)))
    return Object.entries({ ...GARBAGE_KINDS, TotalDetected: detected }).map(([kind, read]): PoolValue => {
      return [`gc${scope}${kind}`, 'Capacity', 'interval', (pool) => read(pool, row)]
    })
  }),
  [BAD_CHUNKS, 'Space', 'interval', badChunks],
  ['chunksEcApplicableTotalSealSize', 'Space', 'hour', applicable],
  ['chunksEcCodedTotalSealSize', 'Space', 'hour', coded],
]
