import { type Attribute, FORECAST, TRANSACTION_ERRORS } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { GAUGES, spaceOf } from '../model/gauges.ts'
import { diskCounts } from '../model/model.ts'
import { sum } from '../model/random.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { findBy } from '../protocol/errors.ts'
import { linksTo, listText, type Member, objectText, ZONE } from '../protocol/format.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { attributeMembers, errorMembers, type Snapshot, type Subject, subjectOf } from './attributes.ts'
import { type FeedRequest, includesCategory } from './query.ts'

/** The nodes of a pool as pieces of JSON text. */
export function feedText(request: FeedRequest, pool: Pool): Iterable<string> {
  // In the API document this link has no leading slash; on real systems it has one.
  const slash = request.profile === 'documented' ? '' : '/'
  const href = `${slash}dashboard/storagepools/${pool.id}/nodes`
  const nodes = nodesAt(pool, request.now).map(nodeReader(request))
  return listText(request.profile, 'Storage Pool Node List', href, nodes)
}

/** `GET /dashboard/nodes/{id}` @throws EmulatedError 404 */
export function nodeText(request: FeedRequest, id: string): Iterable<string> {
  const node = findBy(nodesIn(request), id, (one) => nodeId(request.profile, one) === id)
  return objectText(nodeReader(request)(node))
}

/** `GET /dashboard/zones/localzone/nodes`: the nodes of all pools. */
export function allNodesText(request: FeedRequest): Iterable<string> {
  const nodes = nodesIn(request).map(nodeReader(request))
  return listText(request.profile, 'Node List', `${ZONE}/nodes`, nodes)
}

function nodesIn({ model, now }: FeedRequest): readonly Node[] {
  return model.pools.flatMap((pool) => nodesAt(pool, now))
}

/** Reads the members of nodes. Every node repeats the offline space of the whole system. */
function nodeReader(request: FeedRequest): (node: Node) => Iterable<Member> {
  const { model, profile, query, now } = request
  const { performance } = PROFILES[profile]
  const offline = sum(nodesIn(request).map((node) => GAUGES.diskSpaceOfflineTotal(model.stateOf(node, now))))
  return function* members(node) {
    yield* identity(request, node)
    const subject = subjectOf(request, node.key, [node])
    const value: Subject['value'] = (name, ...at) =>
      name === 'diskSpaceOfflineTotal' ? offline : subject.value(name, ...at)
    // Since version 3.6, some nodes do not serve offline and reserved space.
    const isServed = ({ currentOnly }: Attribute) => performance || !currentOnly || node.index % 2 === 0
    yield* attributeMembers(request, { ...subject, value }, isServed)
    if (performance && includesCategory(query, TRANSACTION_ERRORS.category))
      yield* errorMembers(request, subject)
    if (includesForecast(request)) yield [FORECAST.name, forecastEntries(request, node)]
    // Members of real systems that the API document does not have.
    if (profile !== 'documented')
      yield* Object.entries({ recoveryRateCurrent: [], ssmL1Status: 'Good(PD UP)' })
  }
}

/** Identity, links and counts belong to no category and are always served. */
function* identity({ model, profile, now }: FeedRequest, node: Node): Generator<Member> {
  const id = nodeId(profile, node)
  const self = `/dashboard/nodes/${id}`
  const state = model.stateOf(node, now)
  yield* Object.entries({
    _links: linksTo({ self, disks: `${self}/disks`, processes: `${self}/processes` }),
    apiChange: '1',
    id,
    displayName: node.name,
    storagePoolId: profile === 'documented' ? node.pool.id : node.pool.uuid,
    storagePoolName: node.pool.name,
    healthStatus: state.effects.health,
  })
  for (const [name, count] of Object.entries(diskCounts(state))) yield [name, String(count)]
}

/** The id of a node is its address in version 2 and a UUID in version 3. */
export function nodeId(profile: Profile, node: Node): string {
  return profile === 'documented' ? node.address : node.uuid
}

/** The API document has it "present for category capacityForecast"; a single `dataType` without category excludes it. */
function includesForecast({ query }: FeedRequest): boolean {
  return (
    query.category === FORECAST.category ||
    (query.category === undefined && query.current && query.historical)
  )
}

/**
 * One entry of `allocatedCapacityForecast` per time frame in days and target in percent, text throughout. As the API
 * document says, a downward trend or fewer than two points in *any* requested frame makes *all* entries `N/A`,
 * including targets that are already reached.
 */
function forecastEntries(request: FeedRequest, node: Node) {
  const { model, profile, query, now } = request
  // Real systems serve `[]` when the request has no category.
  if (!PROFILES[profile].performance && query.category === undefined) return []
  const { frames, targets } = query.forecast
  const { allocated, total } = spaceOf(model.stateOf(node, now))
  const lines = frames.map((days) => regression(usedHistory(request, node, days * SECONDS_PER_DAY), now))
  const isRising = lines.every((line) => line !== undefined && line.slope >= 0)
  return lines.flatMap((line, index) =>
    targets.map((percent) => {
      const target = (total * percent) / 100
      const days = isRising && line !== undefined ? daysUntil(line, allocated, target) : undefined
      return {
        unit: days === undefined ? '' : FORECAST.unit,
        forecast: days === undefined ? FORECAST.notAvailable : String(days),
        history: String(frames[index]),
        target: String(percent),
      }
    }),
  )
}

/** Least squares through two or more points: the slope per second, and the value of the line at `at`. */
function regression(points: readonly Snapshot[], at: number) {
  if (points.length < 2) return undefined
  const meanT = sum(points.map(({ t }) => t)) / points.length
  const meanValue = sum(points.map(({ value }) => value)) / points.length
  const covariance = sum(points.map(({ t, value }) => (t - meanT) * (value - meanValue)))
  const slope = covariance / sum(points.map(({ t }) => (t - meanT) ** 2))
  return { slope, level: meanValue + slope * (at - meanT) }
}

/** Whole days until a rising line reaches a target in bytes; undefined: never. */
function daysUntil(
  { slope, level }: NonNullable<ReturnType<typeof regression>>,
  used: number,
  target: number,
): number | undefined {
  // A node without usable space, as in maintenance, has no target.
  if (target === 0) return undefined
  if (used >= target) return 0
  if (slope === 0) return undefined
  return Math.max(1, Math.ceil((target - level) / slope / SECONDS_PER_DAY))
}

/** Used capacity, hourly, of the last `frame` seconds, since the node joined. */
function usedHistory({ model, now }: FeedRequest, node: Node, frame: number): Snapshot[] {
  const start = Math.max(now - frame, node.joinedAt)
  const points: Snapshot[] = []
  const first = (Math.floor(start / SECONDS_PER_HOUR) + 1) * SECONDS_PER_HOUR
  for (let t = first; t <= now; t += SECONDS_PER_HOUR)
    points.push({ t, value: spaceOf(model.stateOf(node, t)).allocated })
  return points
}
