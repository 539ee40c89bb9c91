import type { CoverageAttribute } from '../../catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { embeddedList, isObject, type JsonObject, member, readText } from '../parse/json.ts'
import { MAX_QUOTED_CHARACTERS } from '../parse/reads.ts'
import { type Coverage, createTally } from './coverage.ts'
import { createNodeDecoder, type NodeReading } from './node_reading.ts'
import { createRejectedValues, type RejectedValue, type RejectedValues } from './rejected_values.ts'

export interface FeedReading {
  /** In the order of their ids, so that the same nodes give the same lines. */
  readonly nodes: readonly NodeReading[]
  readonly coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>
  readonly rejected: readonly RejectedValue[]
}

/**
 * Decodes an answer of the nodes feed, whichever of the documented and known forms it has.
 * @throws {ApiError} `schema` where it is not such an answer, or not one of its nodes can be read
 */
export function decodeFeed(body: unknown): FeedReading {
  const list = embeddedList(body, 'node list')
  const rejected = createRejectedValues()
  const entries = identify(list, rejected)
  if (list.length > 0 && entries.size === 0) {
    throw new ApiError('schema', `not one of ${list.length} entries of the node list has an id`)
  }
  const tally = createTally(rejected)
  const decode = createNodeDecoder(tally)
  const nodes = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, entry]) => decode(id, entry))
  return { nodes, coverage: tally.coverage, rejected: rejected.list() }
}

/** More nodes than this are no storage pool; the rest is counted. */
const MAX_NODES = 20_000

/** The entries by their ids. Of two with one id the last wins: equal series would make Prometheus refuse the scrape. */
function identify(list: readonly unknown[], rejected: RejectedValues): Map<string, JsonObject> {
  const entries = new Map<string, JsonObject>()
  for (const [index, entry] of list.entries()) {
    const id = isObject(entry) ? readText(member(entry, 'id')) : undefined
    if (!isObject(entry) || id === undefined) {
      const text = isObject(entry) ? (readText(member(entry, 'displayName')) ?? '') : typeof entry
      rejected.add({ attribute: 'id', reason: 'no_id', node: '', text: text.slice(0, MAX_QUOTED_CHARACTERS) })
      continue
    }
    const words = { node: id.slice(0, MAX_QUOTED_CHARACTERS), text: id.slice(0, MAX_QUOTED_CHARACTERS) }
    if (entries.has(id)) rejected.add({ attribute: 'id', reason: 'duplicate', ...words })
    else if (entries.size >= MAX_NODES) {
      rejected.add({ attribute: 'id', reason: 'too_many', ...words }, list.length - index)
      break
    }
    entries.set(id, entry)
  }
  return entries
}
