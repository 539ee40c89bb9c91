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
import { embeddedList, isObject, type JsonObject, member, readText } from './json.ts'
import { readNumber } from './numbers.ts'
import { ABSENT, MAX_QUOTED_CHARACTERS, type Read, type Rejection, served, unreadable } from './reads.ts'
import { createRejectedValues, type RejectedValue, type RejectedValues } from './rejected_values.ts'
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
  const decoder = createDecoder(rejected)
  const nodes = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, entry]) => decoder.node(id, entry))
  return { nodes, coverage: decoder.coverage, rejected: rejected.list() }
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
/** Entries of lists within nodes that are kept of one answer, over all nodes. */
const MAX_LIST_ENTRIES = 100_000

/** Decodes nodes one by one, counting on the way what they serve and what had to be left out. */
function createDecoder(rejected: RejectedValues) {
  const coverage = new Map<CoverageAttribute, Coverage>(
    COVERAGE_ATTRIBUTES.map((attribute) => [attribute, { served: 0, absent: 0, unreadable: 0 }]),
  )
  const left = { errorTypes: MAX_LIST_ENTRIES, forecasts: MAX_LIST_ENTRIES }

  function count(attribute: CoverageAttribute, state: keyof Coverage): void {
    const counts = coverage.get(attribute)
    if (counts !== undefined) counts[state] += 1
  }

  function reject(attribute: string, id: string, reason: Rejection, text: string, times?: number): void {
    rejected.add({ attribute, reason, node: id.slice(0, MAX_QUOTED_CHARACTERS), text }, times)
  }

  /** Counts the state, and gives the value where there is one. */
  function settle<T>(attribute: CoverageAttribute, id: string, read: Read<T>): T | undefined {
    count(attribute, read.state)
    if (read.state === 'unreadable') reject(attribute, id, read.rejection, read.text)
    return read.state === 'served' ? read.value : undefined
  }

  /** As {@link settle}, for attributes of many values, which are rejected one by one. */
  function settleMany<T>(attribute: CoverageAttribute, read: () => T, isServed: (value: T) => boolean): T {
    const before = rejected.count()
    const value = read()
    count(attribute, isServed(value) ? 'served' : rejected.count() > before ? 'unreadable' : 'absent')
    return value
  }

  function node(id: string, entry: JsonObject): NodeReading {
    return {
      id,
      name: readText(member(entry, 'displayName')),
      poolName: readText(member(entry, 'storagePoolName')),
      apiChange: readText(member(entry, 'apiChange')),
      health: settle('healthStatus', id, readStatus(member(entry, 'healthStatus'))),
      disks: readDisks(entry, id),
      values: readValues(entry, id),
      errors: readErrors(entry, id),
      forecasts: readForecastList(entry, id),
    }
  }

  function readDisks(entry: JsonObject, id: string): Map<DiskCount, number> {
    const disks = new Map<DiskCount, number>()
    for (const key of DISK_KEYS) {
      const number = settle(key, id, readNumber(member(entry, key)))
      if (number !== undefined) disks.set(key, number)
    }
    return disks
  }

  function readValues(entry: JsonObject, id: string): Map<AttributeName, Snapshot> {
    const values = new Map<AttributeName, Snapshot>()
    for (const { name, tag, keys } of READERS) {
      const snapshot = settle(name, id, readAnyName(entry, keys, tag))
      if (snapshot !== undefined) values.set(name, snapshot)
    }
    return values
  }

  function readErrors(entry: JsonObject, id: string): TransactionErrors | undefined {
    const { name } = TRANSACTION_ERRORS
    const errors = settleMany(
      name,
      () =>
        readTransactionErrors(
          member(entry, `${name}Current`),
          (reason, text, times) => reject(name, id, reason, text, times),
          left.errorTypes,
        ),
      (read) => read !== undefined,
    )
    left.errorTypes -= errors?.types.length ?? 0
    return errors
  }

  function readForecastList(entry: JsonObject, id: string): Forecast[] {
    const { name } = FORECAST
    const forecasts = settleMany(
      name,
      () =>
        readForecasts(
          member(entry, name),
          (reason, text, times) => reject(name, id, reason, text, times),
          left.forecasts,
        ),
      (list) => list.length > 0,
    )
    left.forecasts -= forecasts.length
    return forecasts
  }

  return { node, coverage }
}

/** The newest snapshot of an attribute under any of its names. */
function readAnyName(entry: JsonObject, keys: readonly string[], tag: string): Read<Snapshot> {
  return readNewest(
    keys.flatMap((key) => member(entry, key) ?? []),
    tag,
  )
}

function readStatus(value: unknown): Read<string> {
  const text = readText(value)
  if (text !== undefined) return served(text.slice(0, MAX_STATUS_CHARACTERS))
  const isAbsent = value === undefined || value === null || typeof value === 'string'
  return isAbsent ? ABSENT : unreadable('shape', value)
}
