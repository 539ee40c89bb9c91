import {
  ATTRIBUTES,
  type AttributeName,
  DISK_COUNTS,
  type DiskCount,
  FORECAST,
  type HealthState,
  type SourceUnit,
} from '../../catalogue.ts'
import { listText, type Member, objectText, texts } from '../feed/list.ts'
import { attributeMembers, type FeedRequest, includesCategory, type Subject } from '../feed/node.ts'
import { notationOf } from '../feed/notation.ts'
import { type Snapshot, writeCurrent } from '../feed/series.ts'
import { ATTRIBUTE_VALUES } from '../model/attribute_values.ts'
import { diskCounts, type NodeState, STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { keyOf, mix } from '../model/random.ts'
import { alertCounts, SEVERITIES } from '../model/system/alerts.ts'
import { type PoolFigures, poolFigures } from '../model/system/pool_figures.ts'
import { replicationLinks, siteCount, siteOf } from '../model/system/sites.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { attributesOf, PROFILES } from '../protocol/profiles.ts'

const ZONE = '/dashboard/zones/localzone'
const HOUR = 3_600
const DAY = 24 * HOUR
/** The age of the last snapshot of bad chunks of a system that has none. */
const OLD_SECONDS = 55 * DAY

/** `GET /dashboard/zones/localzone`: the figures of the whole system, as pieces of JSON text. */
export function zoneText(request: FeedRequest): Iterable<string> {
  return objectText(zoneMembers(request))
}

/**
 * `GET /dashboard/zones/localzone/storagepools` as pieces of JSON text; `_links.nodes.href` is the path of a pool's feed.
 * As on real systems, pools have the attributes of their nodes with the history, if `dataType` does not exclude it.
 */
export function poolListText(request: FeedRequest): Iterable<string> {
  const { model, profile } = request
  // In the example of the oldest version this link ends with a blank.
  const href = `${ZONE}/storagepools${profile === 'classic' ? ' ' : ''}`
  const pools = model.pools.map((pool) => poolMembers(request, pool))
  return listText({ title: 'Storage Pool List', href, list: PROFILES[profile].list }, pools)
}

function* poolMembers(request: FeedRequest, pool: Pool): Generator<Member> {
  const self = `/dashboard/storagepools/${pool.id}`
  const nodes = nodesAt(pool, request.now)
  yield ['_links', JSON.stringify({ self: { href: self }, nodes: { href: `${self}/nodes` } })]
  yield* texts({ apiChange: '1', id: pool.id, name: pool.name, ...countsOf(request, nodes) })
  yield* texts({ numNodesWithSufficientDiskSpace: String(nodes.length) })
  yield* attributes(request, keyOf(pool.id), nodes)
  yield* figures(request, keyOf(pool.id), [pool])
  // Real systems serve an empty list, if the request has no category.
  if (request.query.category === undefined) yield [FORECAST.name, '[]']
}

function* zoneMembers(request: FeedRequest): Generator<Member> {
  const { model, now, profile } = request
  const links = ['nodes', 'replicationgroups', 'rglinksBootstrap', 'rglinksFailed', 'storagepools']
  const hrefs = links.map((name) => [name, { href: `${ZONE}/${name}` }])
  yield ['_links', JSON.stringify({ self: { href: ZONE }, ...Object.fromEntries(hrefs) })]
  const nodes = model.pools.flatMap((pool) => nodesAt(pool, now))
  yield* texts({ apiChange: '1', id: 'localzone', name: siteOf(model, 0).name, ...countsOf(request, nodes) })
  const counts = alertCounts(model, now)
  for (const severity of SEVERITIES) {
    const options = { profile, tag: 'Count', kind: 'whole', key: keyOf(severity) } as const
    const snapshot = { t: now - (now % 60), value: counts[severity] }
    yield [`alertsNumUnack${severity}`, writeCurrent(options, [snapshot])]
  }
  yield* attributes(request, model.key, nodes)
  yield* figures(request, model.key, model.pools)
  yield* replication(request)
}

const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]

/** Suspect nodes, and those that are not accessible, are in no count. */
function countsOf({ model, now }: FeedRequest, nodes: readonly Node[]) {
  const states = nodes.map((node) => model.stateOf(node, now, 'current'))
  const count = (state: HealthState) =>
    String(states.filter(({ effects }) => effects.health === state).length)
  const disks = states.map(diskCounts)
  const diskSums = DISK_KEYS.map((name) => [name, String(sumOf(disks.map((counts) => counts[name])))])
  return {
    numNodes: String(nodes.length),
    numGoodNodes: count('Good'),
    numBadNodes: count('Bad'),
    numMaintenanceNodes: count('Maintenance'),
    ...Object.fromEntries(diskSums),
  }
}

/** Units whose values are not added up: a pool has their mean. */
const MEANS: readonly SourceUnit[] = ['Percent', 'ms']
const UNIT_OF = new Map(ATTRIBUTES.map(({ name, unit }) => [name, unit]))

/** The attributes of the nodes feed as sums and means over the nodes. */
function* attributes(request: FeedRequest, key: number, nodes: readonly Node[]): Generator<Member> {
  const { model, query, profile } = request
  const value = (name: AttributeName, t: number, form: NodeState['form']): number => {
    const values = nodes.map((node) => ATTRIBUTE_VALUES[name](model.stateOf(node, t, form)))
    return MEANS.includes(UNIT_OF.get(name) ?? 'count') ? sumOf(values) / nodes.length : sumOf(values)
  }
  const always = { joinedAt: Number.NEGATIVE_INFINITY, capacityHistory: Number.POSITIVE_INFINITY }
  const subject: Subject = { key, ...always, value }
  for (const attribute of attributesOf(profile)) {
    if (includesCategory(query, attribute.category)) yield* attributeMembers(request, subject, attribute)
  }
}

interface Figure {
  readonly name: string
  readonly tag: 'Capacity' | 'Space' | 'Rate'
  readonly value: (figures: PoolFigures) => number
  /** Time of the last snapshot; default: that of the statistics. */
  readonly time?: (now: number) => number
}

const PURPOSES = ['UserData', 'SystemMetadata', 'LocalProtection', 'GeoCopy', 'GeoCache'] as const
const GARBAGE = ['Pending', 'Unreclaimable', 'Reclaimed', 'TotalDetected'] as const
const BAD_CHUNKS = 'recoveryBadChunksTotalSize'
const APPLICABLE = 'chunksEcApplicableTotalSealSize'
const CODED = 'chunksEcCodedTotalSealSize'
const RATIO = 'chunksEcCodedRatio'
const hourly = (now: number) => now - (now % HOUR)
const statistics = (now: number) => now - (now % STATISTICS_INTERVAL_SECONDS)

/** What pools and the system serve besides the attributes of nodes. */
const FIGURES: readonly Figure[] = [
  ...PURPOSES.map((purpose): Figure => {
    const name = `diskSpaceAllocated${purpose}` as const
    return { name, tag: 'Capacity', value: (figures) => figures[name], time: (now) => now }
  }),
  ...GARBAGE.flatMap((kind): Figure[] => [
    { name: `gcUser${kind}`, tag: 'Capacity', value: ({ user }) => user[kind] },
    { name: `gcSystem${kind}`, tag: 'Capacity', value: ({ system }) => system[kind] },
    { name: `gcCombined${kind}`, tag: 'Capacity', value: ({ user, system }) => user[kind] + system[kind] },
  ]),
  { name: BAD_CHUNKS, tag: 'Space', value: (figures) => figures[BAD_CHUNKS] },
  { name: 'recoveryRate', tag: 'Rate', value: (figures) => figures.recoveryRate },
  { name: APPLICABLE, tag: 'Space', value: (figures) => figures[APPLICABLE], time: hourly },
  { name: CODED, tag: 'Space', value: (figures) => figures[CODED], time: hourly },
  { name: 'chunksEcRate', tag: 'Rate', value: (figures) => figures.chunksEcRate, time: hourly },
]

/**
 * Sums of the figures of pools, with the time of the last change of each kind. They have no history: without
 * `dataType=current`, real systems serve rates and ratios as a zero of now.
 */
function* figures(request: FeedRequest, key: number, pools: readonly Pool[]): Generator<Member> {
  const { model, now, profile, query } = request
  if (query.category !== undefined && query.category !== 'capacity') return
  const known = new Map<number, PoolFigures[]>()
  const at = (t: number) => {
    const values = known.get(t) ?? pools.map((pool) => poolFigures(model, pool, t))
    known.set(t, values)
    return values
  }
  const written = (name: string, tag: string, snapshot: Snapshot) => {
    const kind = tag === 'Rate' || tag === 'Percent' ? 'fraction' : 'whole'
    return writeCurrent({ profile, tag, kind, key: mix(key, keyOf(name)) }, [snapshot])
  }
  if (query.current) {
    for (const { name, tag, value: of, time = statistics } of FIGURES) {
      const [t, value] = [time(now), sumOf(at(time(now)).map(of))]
      const isOld = name === BAD_CHUNKS && value === 0
      yield [`${name}Current`, written(name, tag, { t: isOld ? hourly(now) - OLD_SECONDS : t, value })]
    }
    const [applicable, coded] = ([APPLICABLE, CODED] as const).map((name) =>
      sumOf(at(hourly(now)).map((one) => one[name])),
    )
    yield [
      'chunksEcCodedRatioCurrent',
      written(RATIO, 'Percent', { t: hourly(now), value: percent(coded, applicable) }),
    ]
  }
  if (query.historical) {
    const zero = { t: now, value: 0 }
    yield ['recoveryRate', written('recoveryRate', 'Rate', zero)]
    yield [RATIO, written(RATIO, 'Percent', zero)]
  }
  yield* texts({
    gcUserDataIsEnabled: 'true',
    gcSystemMetadataIsEnabled: 'true',
    recoveryCompleteTimeEstimate: '0.0',
    chunksEcCompleteTimeEstimate: '0.0',
  })
}

function percent(part = 0, whole = 0): number {
  return whole === 0 ? 0 : (100 * part) / whole
}

/** Replication of the whole system. Systems of one site have no recovery point. */
function* replication({ model, now, profile, query }: FeedRequest): Generator<Member> {
  const links = replicationLinks(model, now)
  const whole = (value: number, salt: number) =>
    notationOf(profile).value(value, mix(model.key, salt), 'whole')
  const pending = (of: 'repository' | 'journal') => sumOf(links.map((link) => link.pending[of]))
  yield ['chunksRepoPendingReplicationTotalSize', whole(pending('repository'), 1)]
  yield ['chunksJournalPendingReplicationTotalSize', whole(pending('journal'), 2)]
  if (query.current) {
    yield ['replicationIngressTrafficCurrent', '[]']
    yield ['replicationEgressTrafficCurrent', '[]']
  }
  if (siteCount(model, now) === 1) return
  const points = links.flatMap(({ recoveryPoint }) => recoveryPoint ?? [])
  if (points.length > 0) yield* texts({ replicationRpoTimestamp: String(Math.min(...points)) })
  yield ['chunksGeoCopyAvgSize', whole(134_217_600, 3)]
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
