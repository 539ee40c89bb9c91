import {
  ATTRIBUTES,
  type AttributeName,
  DISK_COUNTS,
  type DiskCount,
  FORECAST,
  type HealthState,
  type SourceUnit,
} from '../../catalogue.ts'
import { diskCounts, type NodeState } from '../model/node_state.ts'
import { keyOf } from '../model/random.ts'
import type { Pool } from '../model/topology.ts'
import { attributesOf, PROFILES } from '../protocol/profiles.ts'
import { listText, type Member } from './list.ts'
import { attributeMembers, type FeedRequest, includesCategory, type Subject } from './node.ts'

/**
 * `GET /dashboard/zones/localzone/storagepools` as pieces of JSON text; `_links.nodes.href` is the path of a pool's feed.
 * As on real systems, pools have the attributes of their nodes with the history, if `dataType` does not exclude it.
 */
export function poolListText(request: FeedRequest): Iterable<string> {
  const { model, profile } = request
  // In the example of the oldest version this link ends with a blank.
  const href = `/dashboard/zones/localzone/storagepools${profile === 'classic' ? ' ' : ''}`
  const pools = model.pools.map((pool) => poolMembers(request, pool))
  return listText({ title: 'Storage Pool List', href, list: PROFILES[profile].list }, pools)
}

function* poolMembers(request: FeedRequest, pool: Pool): Generator<Member> {
  const { query, profile } = request
  for (const [name, value] of Object.entries(identity(request, pool))) yield [name, JSON.stringify(value)]
  const subject = subjectOf(request, pool)
  for (const attribute of attributesOf(profile)) {
    if (includesCategory(query, attribute.category)) yield* attributeMembers(request, subject, attribute)
  }
  // Real systems serve an empty list, if the request has no category.
  if (query.category === undefined) yield [FORECAST.name, '[]']
}

const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]

function identity({ model, now }: FeedRequest, pool: Pool) {
  const states = pool.nodes.map((node) => model.stateOf(node, now, 'current'))
  const count = (state: HealthState) =>
    String(states.filter(({ effects }) => effects.health === state).length)
  const self = `/dashboard/storagepools/${pool.id}`
  const disks = states.map(diskCounts)
  const diskSums = DISK_KEYS.map((name) => [name, String(sumOf(disks.map((counts) => counts[name])))])
  return {
    _links: { self: { href: self }, nodes: { href: `${self}/nodes` } },
    apiChange: '1',
    id: pool.id,
    name: pool.name,
    numNodes: String(pool.nodes.length),
    numGoodNodes: count('Good'),
    numBadNodes: count('Bad'),
    numMaintenanceNodes: count('Maintenance'),
    ...Object.fromEntries(diskSums),
  }
}

/** Units whose values are not added up: a pool has their mean. */
const MEANS: readonly SourceUnit[] = ['Percent', 'ms']
const UNIT_OF = new Map(ATTRIBUTES.map(({ name, unit }) => [name, unit]))

/** A pool with the sums and means of its nodes. */
function subjectOf({ model }: FeedRequest, { id, nodes }: Pool): Subject {
  const value = (name: AttributeName, t: number, form: NodeState['form']): number => {
    const values = nodes.map((node) => model.value(name, node, t, form))
    // A figure of the whole system, which every node repeats.
    if (name === 'diskSpaceOfflineTotal') return values[0] ?? 0
    return MEANS.includes(UNIT_OF.get(name) ?? 'count') ? sumOf(values) / nodes.length : sumOf(values)
  }
  return { key: keyOf(id), capacityHistory: Number.POSITIVE_INFINITY, value }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
