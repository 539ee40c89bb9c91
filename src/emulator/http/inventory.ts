import { elementsOf } from '../../xml_writer.ts'
import { nodeId } from '../feed/node.ts'
import type { Node, Pool } from '../model/topology.ts'
import type { Document } from '../protocol/format.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'

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
