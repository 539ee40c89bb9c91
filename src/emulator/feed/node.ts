import { type Attribute, FORECAST, TRANSACTION_ERRORS } from '../../catalogue.ts'
import { forecast } from '../model/forecast.ts'
import { GAUGES, spaceOf } from '../model/gauges.ts'
import { diskCounts } from '../model/node_state.ts'
import { sum } from '../model/random.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { findBy } from '../protocol/errors.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { attributeMembers, errorMembers, type Subject, subjectOf } from './attributes.ts'
import { linksTo, listText, type Member, objectText } from './list.ts'
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
    if (profile !== 'documented') yield* extraMembers(request, node)
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

/** Real systems serve `[]` when the request has no category. */
function forecastEntries({ model, profile, query, now }: FeedRequest, node: Node) {
  if (!PROFILES[profile].performance && query.category === undefined) return []
  return forecast(model, node, now, query.forecast)
}

/** Members of real systems that the API document does not have. */
function* extraMembers({ model, profile, query, now }: FeedRequest, node: Node): Generator<Member> {
  if (query.current && includesCategory(query, 'capacity')) {
    const { total } = spaceOf(model.stateOf(node, now))
    yield ['diskSpaceTotalCurrentL1', [{ t: String(now), Space: String(total) }]]
    yield ['diskSpaceTotalCurrentL2', [{ t: String(now), Space: '0' }]]
  }
  if (query.current && includesCategory(query, 'diskIO')) yield ['recoveryRateCurrent', []]
  if (PROFILES[profile].performance && includesCategory(query, 'health'))
    yield ['nodeCpuUtilizationAvg', '12.5']
  yield ['ssmL1Status', 'Good(PD UP)']
}
