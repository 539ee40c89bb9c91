import type { CoverageAttribute, FeedBandwidthUnit } from '../../catalogue.ts'
import { shortened } from '../../text.ts'
import { ApiError } from '../errors/errors.ts'
import { embeddedList, isObject, type JsonObject, member, readName, readText } from '../parse/json.ts'
import {
  createRejectedValues,
  MAX_REJECTED_CHARACTERS,
  type RejectedValue,
  type RejectedValues,
  type Rejection,
} from '../parse/reads.ts'
import { type Coverage, createCoverageCounter, createNodeDecoder, type NodeReading } from './node_reading.ts'

export interface FeedReading {
  /** Sorted by id, so that the same nodes give the same lines in any order of the feed. */
  readonly nodes: readonly NodeReading[]
  readonly coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>
  readonly rejected: readonly RejectedValue[]
}

/**
 * Decodes a response of the nodes feed, in all documented forms and those of real systems.
 * @param bandwidthUnit unit of attributes with the value tag `Bandwidth`
 * @throws {ApiError} `schema` if the body is not a nodes feed, or none of its nodes has an id
 */
export function decodeFeed(body: unknown, bandwidthUnit: FeedBandwidthUnit = 'MB/s'): FeedReading {
  const rejected = createRejectedValues()
  const entries = nodeEntries(body, rejected)
  const counter = createCoverageCounter(rejected)
  const decode = createNodeDecoder(counter, bandwidthUnit)
  const nodes: NodeReading[] = []
  for (const [id, entry] of entries) {
    nodes.push(decode(id, entry))
  }
  return { nodes, coverage: counter.coverage, rejected: rejected.list() }
}

/** More nodes of one pool are not exported; they are counted as rejected. */
const MAX_NODES = 5_000

/**
 * The nodes of a response by id, sorted.
 * @throws {ApiError} `schema` if the body is not a nodes feed, or none of its nodes has an id
 */
export function nodeEntries(body: unknown, rejected: RejectedValues): [string, JsonObject][] {
  const list = embeddedList(body, 'node list')
  const entries = entriesById(list, rejected)
  if (list.length > 0 && entries.size === 0) {
    throw new ApiError('schema', `none of the ${list.length} entries of the node list has an id`)
  }
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The entries by id. Of two with the same id the last one is used: Prometheus rejects a scrape with duplicate series. */
function entriesById(list: readonly unknown[], rejected: RejectedValues): Map<string, JsonObject> {
  const entries = new Map<string, JsonObject>()
  const reject = (reason: Rejection, node: string, text: string, times?: number) =>
    rejected.add({ attribute: 'id', reason, node, text }, times)
  for (const [index, entry] of list.entries()) {
    const id = isObject(entry) ? readName(member(entry, 'id')) : undefined
    if (!isObject(entry) || id === undefined) {
      const text = isObject(entry) ? (readText(member(entry, 'displayName')) ?? '') : typeof entry
      reject('no_id', '', shortened(text, MAX_REJECTED_CHARACTERS))
      continue
    }
    const quoted = id.slice(0, MAX_REJECTED_CHARACTERS)
    if (entries.has(id)) reject('duplicate', quoted, quoted)
    else if (entries.size >= MAX_NODES) {
      reject('too_many', quoted, quoted, list.length - index)
      break
    }
    entries.set(id, entry)
  }
  return entries
}

/** The pool name that the nodes have. Lists of pools may not contain it. */
export function poolNameIn(reading: NamedNodes): string | undefined {
  return reading.nodes.find(({ poolName }) => poolName !== undefined)?.poolName
}

/** A reading with the nodes of one pool. */
export interface NamedNodes {
  readonly nodes: readonly Pick<NodeReading, 'poolName'>[]
}
