import { PROFILES } from '../protocol/profiles.ts'
import type { Node, Pool } from '../world/topology.ts'
import { type FeedRequest, nodeMembers } from './node.ts'

/**
 * The nodes feed of a pool as pieces of JSON text (API document, "Storage pool node list"): a year of a large
 * pool is longer than any string may be, so it is sent as it is made.
 */
export function* feedText(request: FeedRequest, pool: Pool): Generator<string> {
  const { list } = PROFILES[request.profile]
  // The document writes this link without the leading slash that real systems have.
  const slash = request.profile === 'documented' ? '' : '/'
  const links = { self: { href: `${slash}dashboard/storagepools/${pool.id}/nodes` } }
  yield `{"title":"Storage Pool Node List","_links":${JSON.stringify(links)},"_embedded":{"${list}":[`
  for (const [index, node] of pool.nodes.entries()) {
    if (index > 0) yield ','
    yield* nodeText(request, node)
  }
  yield ']}}'
}

function* nodeText(request: FeedRequest, node: Node): Generator<string> {
  let opening = '{'
  for (const [name, text] of nodeMembers(request, node)) {
    yield `${opening}"${name}":${text}`
    opening = ','
  }
  yield '}'
}
