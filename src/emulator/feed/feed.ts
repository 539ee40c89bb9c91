import type { Node, Pool } from '../model/topology.ts'
import { PROFILES } from '../protocol/profiles.ts'
import { type FeedRequest, nodeMembers } from './node.ts'

/**
 * The nodes feed of a pool as pieces of JSON text (API document, "Storage pool node list"). A year of a large pool
 * exceeds the maximum length of a string, so the pieces are sent one by one.
 */
export function* feedText(request: FeedRequest, pool: Pool): Generator<string> {
  const { list } = PROFILES[request.profile]
  // In the API document this link has no leading slash; on real systems it has one.
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
