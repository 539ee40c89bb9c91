import type { HealthState } from '../../catalogue.ts'
import { nodeId } from '../feed/node.ts'
import type { StorageModel } from '../model/model.ts'
import type { Node, Pool } from '../model/topology.ts'
import type { Document } from '../protocol/format.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { elementsOf } from '../protocol/xml.ts'

/** `GET /dashboard/zones/localzone/storagepools`; `_links.nodes.href` is the path of a pool's feed. */
export function poolListJson(model: StorageModel, profile: Profile, now: number): unknown {
  const { list } = PROFILES[profile]
  // In the example of the oldest version this link ends with a blank.
  const blank = profile === 'classic' ? ' ' : ''
  return {
    title: 'Storage Pool List',
    _links: { self: { href: `/dashboard/zones/localzone/storagepools${blank}` } },
    _embedded: { [list]: model.pools.map((pool) => poolJson(model, pool, now)) },
  }
}

function poolJson(model: StorageModel, pool: Pool, now: number): unknown {
  const count = (state: HealthState) =>
    String(pool.nodes.filter((node) => model.stateOf(node, now, 'current').effects.health === state).length)
  const self = `/dashboard/storagepools/${pool.id}`
  return {
    _links: { self: { href: self }, nodes: { href: `${self}/nodes` } },
    apiChange: '1',
    id: pool.id,
    name: pool.name,
    numNodes: String(pool.nodes.length),
    numGoodNodes: count('Good'),
    numBadNodes: count('Bad'),
    numMaintenanceNodes: count('Maintenance'),
  }
}

/** `GET /vdc/data-services/varrays`: the second list of pools. */
export function varraysDocument(pools: readonly Pool[]): Document {
  const varrays = pools.map(({ id, name }) => ({
    id,
    name,
    isProtected: false,
    isColdStorageEnabled: 'false',
  }))
  return listDocument('varrays', 'varray', varrays)
}

/** `GET /vdc/nodes`. */
export function vdcNodesDocument(pools: readonly Pool[], profile: Profile): Document {
  const nodes = pools.flatMap((pool) => pool.nodes).map((node, index) => vdcNode(node, profile, index === 0))
  return listDocument('nodes', 'node', nodes)
}

function vdcNode(node: Node, profile: Profile, isLocal: boolean) {
  return {
    nodename: node.name,
    nodeid: nodeId(profile, node),
    mgmt_ip: node.address,
    data_ip: node.address,
    rackId: `rack-${node.pool.index + 1}`,
    version: PROFILES[profile].version,
    isLocal,
  }
}

function listDocument(
  root: string,
  name: string,
  items: readonly Readonly<Record<string, string | boolean>>[],
): Document {
  const elements = items.map((item) => ({ name, content: elementsOf(item) }))
  return { json: { [name]: items }, xml: { name: root, content: elements } }
}
