import { type Attribute, FORECAST, TRANSACTION_ERRORS } from '../../catalogue.ts'
import { spaceOf } from '../model/capacity.ts'
import { forecast } from '../model/forecast.ts'
import { diskCounts, STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { keyOf, mix } from '../model/random.ts'
import { type Node, nodesAt, type Pool } from '../model/topology.ts'
import { findBy } from '../protocol/errors.ts'
import { attributesOf, PROFILES, type Profile } from '../protocol/profiles.ts'
import { listText, type Member, objectText } from './list.ts'
import type { FeedQuery, FeedRequest } from './query.ts'
import {
  type Form,
  type Snapshot,
  servedCurrent,
  servedOrder,
  servedSeries,
  servedSummary,
  servedTimes,
} from './series.ts'
import { type Subject, subjectOf } from './subject.ts'
import { errorForm, errorSamples, servedErrors, servedErrorsSummary } from './transaction_errors.ts'

/** On real systems some current values have two snapshots. Here it is one bandwidth attribute in four. */
const ATTRIBUTES_PER_SNAPSHOT_PAIR = 4

/** The nodes of a pool as pieces of JSON text. */
export function feedText(request: FeedRequest, pool: Pool): Iterable<string> {
  // In the API document this link has no leading slash; on real systems it has one.
  const slash = request.profile === 'documented' ? '' : '/'
  const href = `${slash}dashboard/storagepools/${pool.id}/nodes`
  const nodes = nodesAt(pool, request.now).map((node) => nodeMembers(request, node))
  return listText(request.profile, 'Storage Pool Node List', href, nodes)
}

/** `GET /dashboard/zones/localzone/nodes`: the nodes of all pools. */
export function allNodesText(request: FeedRequest): Iterable<string> {
  const nodes = nodesIn(request).map((node) => nodeMembers(request, node))
  return listText(request.profile, 'nodes List', '/dashboard/zones/localzone/nodes', nodes)
}

/** `GET /dashboard/nodes/{id}` @throws EmulatedError 404 */
export function nodeText(request: FeedRequest, id: string): Iterable<string> {
  const node = findBy(nodesIn(request), id, (one) => nodeId(request.profile, one) === id)
  return objectText(nodeMembers(request, node))
}

function nodesIn({ model, now }: FeedRequest): readonly Node[] {
  return model.pools.flatMap((pool) => nodesAt(pool, now))
}

/** All members of a node object, one by one, so that a long history is never in memory as a whole. */
function* nodeMembers(request: FeedRequest, node: Node): Generator<Member> {
  yield* identity(request, node)
  const subject = nodeSubject(request, node)
  for (const attribute of attributesOf(request.profile)) {
    if (includesCategory(request.query, attribute.category) && serves(request.profile, node, attribute)) {
      yield* attributeMembers(request, subject, attribute)
    }
  }
  if (PROFILES[request.profile].performance && includesCategory(request.query, TRANSACTION_ERRORS.category)) {
    yield* errorMembers(request, subject)
  }
  if (includesForecast(request)) yield [FORECAST.name, forecastEntries(request, node)]
  if (PROFILES[request.profile].extras) yield* extras(request, node)
}

/** Every node repeats the offline space of the whole system. */
function nodeSubject(request: FeedRequest, node: Node): Subject {
  const subject = subjectOf(request, node.key, [node])
  const value: Subject['value'] = (name, t, form) =>
    name === 'diskSpaceOfflineTotal' ? request.model.offlineTotal(t) : subject.value(name, t, form)
  return { ...subject, value }
}

/** Identity, links and counts belong to no category and are always served. */
function* identity({ model, profile, now }: FeedRequest, node: Node): Generator<Member> {
  const id = nodeId(profile, node)
  const href = `/dashboard/nodes/${id}`
  const state = model.stateOf(node, now)
  yield [
    '_links',
    { self: { href }, disks: { href: `${href}/disks` }, processes: { href: `${href}/processes` } },
  ]
  yield* Object.entries({
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

export function includesCategory(query: FeedQuery, category: string): boolean {
  return query.category === undefined || query.category === category
}

/** The API document has it "present for category capacityForecast"; a single `dataType` without category excludes it. */
function includesForecast({ query, settings: { 'strict-forecasts': strict } }: FeedRequest): boolean {
  const form = query.historical ? 'category' : 'current'
  if (strict !== undefined && strict !== form) return false
  return (
    query.category === FORECAST.category ||
    (query.category === undefined && query.current && query.historical)
  )
}

/** Since version 3.6, some nodes do not serve offline and reserved space. */
function serves(profile: Profile, node: Node, attribute: Attribute): boolean {
  return PROFILES[profile].performance || !attribute.currentOnly || node.index % 2 === 0
}

export function* attributeMembers(
  request: FeedRequest,
  node: Subject,
  attribute: Attribute,
): Generator<Member> {
  const { query, profile, now } = request
  const form: Form = {
    profile,
    tag: attribute.tag,
    kind: attribute.unit === 'Bytes' ? 'whole' : 'fraction',
    key: mix(node.key, keyOf(attribute.name)),
  }
  if (query.current) {
    yield [currentName(profile, attribute.name), servedCurrent(form, currentSnapshots(now, node, attribute))]
  }
  if (!query.historical || attribute.currentOnly) return
  const series = storedSnapshots(request, node, attribute)
  yield [attribute.name, servedSeries(form, servedOrder(series, request.settings))]
  yield [`${attribute.name}Summary`, servedSummary(form, series)]
}

function storedSnapshots(
  { query, settings, now }: FeedRequest,
  node: Subject,
  { name }: Attribute,
): Snapshot[] {
  if (name === settings['no-history']) return [{ t: now, value: 0 }]
  return servedTimes(query.range, now, settings, node.joinedAt).map((t) => ({
    t,
    value: node.value(name, t, 'historical'),
  }))
}

/** Real systems write the level last: `diskSpaceFreeCurrentL1`; by the rule of the API document it is `diskSpaceFreeL1Current`. */
function currentName(profile: Profile, name: string): string {
  if (profile === 'documented') return `${name}Current`
  return name.replace(/(L[12])?$/, 'Current$1')
}

function currentSnapshots(
  now: number,
  node: Subject,
  attribute: Attribute,
): readonly [Snapshot, ...Snapshot[]] {
  const t = attribute.category === 'capacity' ? now : statisticsTime(now)
  const at = (time: number) => ({ t: time, value: node.value(attribute.name, time, 'current') })
  const two =
    attribute.tag === 'Bandwidth' && mix(node.key, keyOf(attribute.name)) % ATTRIBUTES_PER_SNAPSHOT_PAIR === 0
  return two ? [at(t - STATISTICS_INTERVAL_SECONDS), at(t)] : [at(t)]
}

/** The end of the last complete statistics interval. */
function statisticsTime(now: number): number {
  return now - (now % STATISTICS_INTERVAL_SECONDS)
}

function* errorMembers(request: FeedRequest, subject: Subject): Generator<Member> {
  const { query, settings, now, profile } = request
  const { name } = TRANSACTION_ERRORS
  const form = errorForm(profile, subject.key)
  if (query.current)
    yield [`${name}Current`, servedErrors(form, errorSamples(subject, [statisticsTime(now)], 'current'))]
  if (!query.historical) return
  const times = servedTimes(query.range, now, settings, subject.joinedAt)
  const samples = errorSamples(subject, times, 'historical')
  yield [name, servedErrors(form, samples)]
  yield [`${name}Summary`, servedErrorsSummary(form, samples)]
}

/** Real systems serve `[]` when the request has no category. */
function forecastEntries({ model, profile, query, now }: FeedRequest, node: Node) {
  if (!PROFILES[profile].performance && query.category === undefined) return []
  return forecast(model, node, now, query.forecast)
}

/** Members of real systems that the API document does not have. */
function* extras({ model, profile, query, now }: FeedRequest, node: Node): Generator<Member> {
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
