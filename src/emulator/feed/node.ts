import { type Attribute, FORECAST, TRANSACTION_ERRORS } from '../../catalogue.ts'
import { attributesOf, PROFILES, type Profile } from '../protocol/profiles.ts'
import { diskCounts } from '../world/disks.ts'
import { forecast } from '../world/forecast.ts'
import { keyOf, mix } from '../world/random.ts'
import type { Node } from '../world/topology.ts'
import type { World } from '../world/world.ts'
import type { FeedQuery } from './query.ts'
import {
  type Snapshot,
  summaryOf,
  timesOf,
  type Writing,
  writeCurrent,
  writeSeries,
  writeSummary,
} from './series.ts'
import { errorSamples, writeErrors, writeErrorsSummary } from './transaction_errors.ts'

/** What one answer of the feed is made of. `now` in epoch seconds. */
export interface FeedRequest {
  readonly world: World
  readonly profile: Profile
  readonly query: FeedQuery
  readonly now: number
}

/** A member of a JSON object: its name and the JSON text of its value. */
export type Member = readonly [name: string, text: string]

/** Statistics on performance are made every five minutes; capacity is known at any time. */
const STATISTICS_PERIOD = 300
/** In real systems, some current values come with the one before. One of so many. */
const TWO_SNAPSHOTS_IN = 4

/** All members of a node object, one by one, so that a long history never lies in memory at once. */
export function* nodeMembers(request: FeedRequest, node: Node): Generator<Member> {
  yield* identity(request, node)
  for (const attribute of attributesOf(request.profile)) {
    if (wanted(request.query, attribute.category) && serves(request.profile, node, attribute)) {
      yield* attributeMembers(request, node, attribute)
    }
  }
  if (PROFILES[request.profile].performance && wanted(request.query, TRANSACTION_ERRORS.category)) {
    yield* errorMembers(request, node)
  }
  if (forecastWanted(request.query)) yield [FORECAST.name, JSON.stringify(forecastEntries(request, node))]
  if (PROFILES[request.profile].extras) yield* extras(request, node)
}

/** Identity, links and counts belong to no category and are always there. */
function* identity({ world, profile, now }: FeedRequest, node: Node): Generator<Member> {
  const id = nodeId(profile, node)
  const href = `/dashboard/nodes/${id}`
  const moment = world.moment(node, now, 'current')
  const links = {
    self: { href },
    disks: { href: `${href}/disks` },
    processes: { href: `${href}/processes` },
  }
  yield ['_links', JSON.stringify(links)]
  const texts = {
    apiChange: '1',
    id,
    displayName: node.name,
    storagePoolId: profile === 'documented' ? node.pool.id : node.pool.uuid,
    storagePoolName: node.pool.name,
    healthStatus: moment.effects.health,
    ...diskCounts(moment),
  }
  for (const [name, value] of Object.entries(texts)) yield [name, JSON.stringify(String(value))]
}

/** Version 2 named nodes by their address, version 3 by a UUID. */
export function nodeId(profile: Profile, node: Node): string {
  return profile === 'documented' ? node.address : node.uuid
}

function wanted(query: FeedQuery, category: string): boolean {
  return query.category === undefined || query.category === category
}

/** The document knows it "present for category capacityForecast"; `dataType` alone asks for something else. */
function forecastWanted(query: FeedQuery): boolean {
  return (
    query.category === FORECAST.category ||
    (query.category === undefined && query.current && query.historical)
  )
}

/** Since version 3.6, some nodes do not tell offline and reserved space. */
function serves(profile: Profile, node: Node, attribute: Attribute): boolean {
  return profile !== 'modern' || !attribute.currentOnly || node.index % 2 === 0
}

function* attributeMembers(request: FeedRequest, node: Node, attribute: Attribute): Generator<Member> {
  const { query, profile, now } = request
  const writing: Writing = {
    profile,
    tag: attribute.tag,
    kind: attribute.unit === 'Bytes' ? 'whole' : 'fraction',
    key: mix(node.key, keyOf(attribute.name)),
  }
  if (query.current) {
    yield [
      currentName(profile, attribute.name),
      writeCurrent(writing, currentSnapshots(request, node, attribute)),
    ]
  }
  if (!query.historical || attribute.currentOnly) return
  const keptFrom = attribute.category === 'capacity' ? now - node.capacityHistory + 1 : 0
  const series = timesOf(query.range, now, keptFrom).map((t) => ({
    t,
    value: request.world.value(attribute.name, node, t, 'historical'),
  }))
  yield [attribute.name, writeSeries(writing, series)]
  const summary = summaryOf(series)
  if (summary !== undefined) yield [`${attribute.name}Summary`, writeSummary(writing, summary)]
}

/** Real systems put the level last: `diskSpaceFreeCurrentL1`, where the document's rule gives `diskSpaceFreeL1Current`. */
function currentName(profile: Profile, name: string): string {
  if (profile === 'documented') return `${name}Current`
  return name.replace(/(L[12])?$/, 'Current$1')
}

function currentSnapshots(
  { world, now }: FeedRequest,
  node: Node,
  attribute: Attribute,
): readonly [Snapshot, ...Snapshot[]] {
  const t = attribute.category === 'capacity' ? now : statisticsTime(now)
  const at = (time: number) => ({ t: time, value: world.value(attribute.name, node, time, 'current') })
  const two = attribute.tag === 'Bandwidth' && mix(node.key, keyOf(attribute.name)) % TWO_SNAPSHOTS_IN === 0
  return two ? [at(t - STATISTICS_PERIOD), at(t)] : [at(t)]
}

/** The last full period of statistics. */
function statisticsTime(now: number): number {
  return now - (now % STATISTICS_PERIOD)
}

function* errorMembers({ world, profile, query, now }: FeedRequest, node: Node): Generator<Member> {
  const { name } = TRANSACTION_ERRORS
  if (query.current) {
    const samples = errorSamples(world, node, [statisticsTime(now)], STATISTICS_PERIOD, 'current')
    yield [`${name}Current`, writeErrors(profile, node, samples)]
  }
  if (query.historical) {
    const times = timesOf(query.range, now)
    const samples = errorSamples(world, node, times, query.range.interval, 'historical')
    yield [name, writeErrors(profile, node, samples)]
    yield [`${name}Summary`, writeErrorsSummary(profile, node, samples)]
  }
}

/** Real systems answer `[]` when the category is not asked for by name. */
function forecastEntries({ world, profile, query, now }: FeedRequest, node: Node) {
  if (profile === 'modern' && query.category === undefined) return []
  return forecast(world, node, now, query.forecast)
}

/** Members that the document does not know, as real systems have them. */
function* extras({ world, profile, query, now }: FeedRequest, node: Node): Generator<Member> {
  if (query.current && wanted(query, 'capacity')) {
    const total = world.value('diskSpaceTotal', node, now, 'current')
    yield ['diskSpaceTotalCurrentL1', `[{"t":"${now}","Space":"${total}"}]`]
    yield ['diskSpaceTotalCurrentL2', `[{"t":"${now}","Space":"0"}]`]
  }
  if (query.current && wanted(query, 'diskIO')) yield ['recoveryRateCurrent', '[]']
  if (PROFILES[profile].performance && wanted(query, 'health')) yield ['nodeCpuUtilizationAvg', '"12.5"']
  yield ['ssmL1Status', '"Good(PD UP)"']
}
