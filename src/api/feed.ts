import {
  ATTRIBUTES,
  type AttributeName,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  DISK_COUNTS,
  type DiskCount,
  FORECAST,
  TRANSACTION_ERRORS,
} from '../catalogue.ts'
import { ApiError } from './errors.ts'
import { type Forecast, readForecasts } from './forecasts.ts'
import { isObject, member, type Read, type Rejection, readNumber, readText } from './numbers.ts'
import { readNewest, type Snapshot } from './snapshots.ts'
import { readTransactionErrors, type TransactionErrors } from './transaction_errors.ts'

/** A node as the feed describes it now. Values are in the units of the source; what is absent is not there. */
export interface NodeReading {
  readonly id: string
  /** displayName; undefined where the node has none. */
  readonly name: string | undefined
  readonly poolName: string | undefined
  readonly apiChange: string | undefined
  /** One of HEALTH_STATES, or what else the system says. */
  readonly health: string | undefined
  readonly disks: ReadonlyMap<DiskCount, number>
  readonly values: ReadonlyMap<AttributeName, Snapshot>
  readonly errors: TransactionErrors | undefined
  readonly forecasts: readonly Forecast[]
}

/** In how many nodes an attribute is in which state. */
export interface Coverage {
  served: number
  absent: number
  unreadable: number
}

/** A value that was not taken, with the words for the log. */
export interface RejectedValue {
  readonly attribute: string
  readonly reason: Rejection
  readonly node: string
  readonly text: string
  readonly times: number
}

export interface FeedReading {
  readonly nodes: readonly NodeReading[]
  readonly coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>
  readonly rejected: readonly RejectedValue[]
}

/**
 * Decodes an answer of the nodes feed, whichever of the documented and known forms it has.
 * @throws {ApiError} `schema` where it is not such an answer, or not one of its nodes can be read
 */
export function decodeFeed(body: unknown): FeedReading {
  const list = nodeList(body)
  const decoder = createDecoder()
  const nodes = new Map<string, NodeReading>()
  for (const entry of list) {
    const node = decoder.node(entry)
    if (node === undefined) continue
    // Of two nodes with one id the last wins: two equal series would make Prometheus refuse the whole scrape.
    if (nodes.delete(node.id)) decoder.reject('id', 'duplicate', node.id, node.id)
    nodes.set(node.id, node)
  }
  if (list.length > 0 && nodes.size === 0) {
    throw new ApiError('schema', `not one of ${list.length} entries of the node list has an id`)
  }
  return { nodes: [...nodes.values()], coverage: decoder.coverage, rejected: decoder.rejected }
}

/** Real systems call the list `_instances`; the document, and some of its samples, `instances`. */
const LIST_KEYS = ['_instances', 'instances'] as const

function nodeList(body: unknown): readonly unknown[] {
  const embedded = isObject(body) ? member(body, '_embedded') : undefined
  if (!isObject(embedded)) throw new ApiError('schema', 'the answer has no member _embedded')
  for (const key of LIST_KEYS) {
    const list = member(embedded, key)
    if (Array.isArray(list)) return list
  }
  throw new ApiError('schema', 'the answer has no node list (_embedded.instances or _embedded._instances)')
}

interface AttributeReader {
  readonly name: AttributeName
  readonly tag: string
  /** `diskSpaceFreeL1Current` by the document's rule, `diskSpaceFreeCurrentL1` on real systems. */
  readonly keys: readonly string[]
}

const READERS: readonly AttributeReader[] = ATTRIBUTES.map(({ name, tag }) => {
  const level = /^(.*)(L[12])$/.exec(name)
  return { name, tag, keys: [`${name}Current`, ...(level ? [`${level[1]}Current${level[2]}`] : [])] }
})
const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]
/** Longest status that becomes a label value. */
const MAX_STATUS_CHARACTERS = 64
/** More rejected values of one answer than this are counted, but their words are not kept. */
const MAX_REJECTED_KEPT = 1000

/** Decodes nodes one by one, counting on the way what they serve and what had to be left out. */
function createDecoder() {
  const coverage = new Map<CoverageAttribute, Coverage>(
    COVERAGE_ATTRIBUTES.map((attribute) => [attribute, { served: 0, absent: 0, unreadable: 0 }]),
  )
  const rejected: RejectedValue[] = []

  function reject(attribute: string, reason: Rejection, node: string, text: string, times = 1): void {
    const kept = rejected.length < MAX_REJECTED_KEPT
    rejected.push({ attribute, reason, node: kept ? node : '', text: kept ? text : '', times })
  }

  /** Counts the state, and gives the value where there is one. */
  function settle<T>(attribute: CoverageAttribute, node: string, read: Read<T>): T | undefined {
    const counts = coverage.get(attribute)
    if (counts !== undefined) counts[read.state] += 1
    if (read.state === 'unreadable') reject(attribute, read.rejection, node, read.text)
    return read.state === 'served' ? read.value : undefined
  }

  function node(entry: unknown): NodeReading | undefined {
    const id = isObject(entry) ? readText(member(entry, 'id')) : undefined
    if (!isObject(entry) || id === undefined) {
      reject('id', 'no_id', '', isObject(entry) ? (readText(member(entry, 'displayName')) ?? '') : '')
      return undefined
    }
    const health = readText(member(entry, 'healthStatus'))?.slice(0, MAX_STATUS_CHARACTERS)
    return {
      id,
      name: readText(member(entry, 'displayName')),
      poolName: readText(member(entry, 'storagePoolName')),
      apiChange: readText(member(entry, 'apiChange')),
      health: settle(
        'healthStatus',
        id,
        health === undefined ? { state: 'absent' } : { state: 'served', value: health },
      ),
      disks: readDisks(entry, id),
      values: readValues(entry, id),
      errors: readErrors(entry, id),
      forecasts: readForecastList(entry, id),
    }
  }

  function readDisks(entry: Readonly<Record<string, unknown>>, id: string): Map<DiskCount, number> {
    const disks = new Map<DiskCount, number>()
    for (const key of DISK_KEYS) {
      const count = settle(key, id, readNumber(member(entry, key)))
      if (count !== undefined) disks.set(key, count)
    }
    return disks
  }

  function readValues(entry: Readonly<Record<string, unknown>>, id: string): Map<AttributeName, Snapshot> {
    const values = new Map<AttributeName, Snapshot>()
    for (const { name, tag, keys } of READERS) {
      const key = keys.find((candidate) => Object.hasOwn(entry, candidate))
      const snapshot = settle(name, id, readNewest(key === undefined ? undefined : entry[key], tag))
      if (snapshot !== undefined) values.set(name, snapshot)
    }
    return values
  }

  function readErrors(entry: Readonly<Record<string, unknown>>, id: string): TransactionErrors | undefined {
    const { name } = TRANSACTION_ERRORS
    const read = readTransactionErrors(member(entry, `${name}Current`), (reason, text, times) =>
      reject(name, reason, id, text, times),
    )
    return settle(name, id, read)
  }

  function readForecastList(entry: Readonly<Record<string, unknown>>, id: string): Forecast[] {
    const { name } = FORECAST
    const before = rejected.length
    const list = readForecasts(member(entry, name), (reason, text) => reject(name, reason, id, text))
    const counts = coverage.get(name)
    if (counts !== undefined)
      counts[list.length > 0 ? 'served' : rejected.length > before ? 'unreadable' : 'absent'] += 1
    return list
  }

  return { node, reject, coverage, rejected }
}
