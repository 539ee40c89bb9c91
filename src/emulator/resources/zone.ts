import { DISK_COUNTS, type DiskCount, FORECAST, type HealthState } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { attributeMembers, subjectOf } from '../feed/attributes.ts'
import { linksTo, listText, type Member, objectText } from '../feed/list.ts'
import { type FeedRequest, includesCategory } from '../feed/query.ts'
import { type Snapshot, servedCurrent } from '../feed/series.ts'
import { spaceOf } from '../model/gauges.ts'
import type { StorageModel } from '../model/model.ts'
import { diskCounts } from '../model/node_state.ts'
import { keyOf, mix, sum } from '../model/random.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { sumsOf } from './pool_values.ts'
import { pendingMembers, replicationLinks } from './replication.ts'

const ALERT_SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
type AlertCounts = Partial<Record<(typeof ALERT_SEVERITIES)[number], number>>
/** Alerts that are never acknowledged. */
const LASTING_ALERTS: AlertCounts = { Warning: 1, Info: 12 }
/** In scenario "array-alerts" there is one more warning in each interval. */
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9

const ZONE = '/dashboard/zones/localzone'
/** The age of the last snapshot of bad chunks of a system that has none. */
const OLD_SECONDS = 55 * SECONDS_PER_DAY

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

/** The members of a pool in its list, and of `GET /dashboard/storagepools/{id}`. */
export function* poolMembers(request: FeedRequest, pool: Pool): Generator<Member> {
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
  const replicated = replicationLinks(model, now)
  yield* Object.entries(pendingMembers(request, replicated, model.key))
  if (replicated.length > 0) yield ['chunksGeoCopyAvgSize', '134217600']
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

const BAD_CHUNKS = 'recoveryBadChunksTotalSize'
const RATIO = 'chunksEcCodedRatio'

/** Sums over pools. They have no history: without `dataType=current`, real systems serve rates and ratios as a zero of now. */
function* capacityMembers(request: FeedRequest, key: number, pools: readonly Pool[]): Generator<Member> {
  const { model, now, profile, query } = request
  if (!includesCategory(query, 'capacity')) return
  const written = (name: string, tag: string, snapshot: Snapshot) =>
    servedCurrent({ profile, tag, key: mix(key, keyOf(name)) }, [snapshot])
  const hour = now - (now % SECONDS_PER_HOUR)
  if (query.current) {
    const sums = sumsOf(model, pools, now)
    for (const { name, tag, t, value } of sums) {
      const isOld = name === BAD_CHUNKS && value === 0
      yield [`${name}Current`, written(name, tag, { t: isOld ? hour - OLD_SECONDS : t, value })]
    }
    const [applicable = 0, coded = 0] = ['Applicable', 'Coded'].map(
      (kind) => sums.find(({ name }) => name === `chunksEc${kind}TotalSealSize`)?.value,
    )
    const value = applicable === 0 ? 0 : (100 * coded) / applicable
    yield [`${RATIO}Current`, written(RATIO, 'Percent', { t: hour, value })]
  }
  if (query.historical) {
    const zero = { t: now, value: 0 }
    yield ['recoveryRate', written('recoveryRate', 'Rate', zero)]
    yield [RATIO, written(RATIO, 'Percent', zero)]
  }
  yield* Object.entries({
    gcUserDataIsEnabled: 'true',
    gcSystemMetadataIsEnabled: 'true',
    recoveryCompleteTimeEstimate: '0.0',
    chunksEcCompleteTimeEstimate: '0.0',
  })
}
