import {
  ATTRIBUTES,
  type AttributeName,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  DISK_COUNTS,
  type DiskCount,
  type FeedBandwidthUnit,
  FORECAST,
  TRANSACTION_ERRORS,
  UNITS,
  type UnitRow,
} from '../../catalogue.ts'
import type { ForecastConfig } from '../../config/config.ts'
import { shortened } from '../../text.ts'
import { ApiError, idSegment } from '../errors/errors.ts'
import {
  asList,
  createRejectedValues,
  embeddedList,
  isObject,
  type JsonObject,
  MAX_REJECTED_CHARACTERS,
  member,
  type Read,
  type Reject,
  type RejectedValue,
  type RejectedValues,
  type Rejection,
  readName,
  readNumber,
  readText,
  Unreadable,
} from '../parse/json.ts'
import {
  type Forecast,
  readForecasts,
  readNewest,
  readTransactionErrors,
  type Snapshot,
  type TransactionErrors,
} from './snapshots.ts'

export interface FeedReading {
  /** Sorted by id, so that the same nodes give the same lines in any order of the feed. */
  readonly nodes: readonly NodeReading[]
  readonly coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>
  readonly rejected: readonly RejectedValue[]
}

/**
 * Decodes a response of the dashboard API, in all documented forms and those of real systems.
 * @param bandwidthUnit unit of attributes with the value tag `Bandwidth`
 * @throws {ApiError} `schema` if the body is not that of the dashboard API, or none of its nodes has an id
 */
export function decodeFeed(body: unknown, bandwidthUnit: FeedBandwidthUnit = 'MB/s'): FeedReading {
  const rejected = createRejectedValues()
  const counter = createCoverageCounter(rejected)
  const entries = nodeEntries(body, rejected)
  const decode = createNodeDecoder(counter, bandwidthUnit, entries.length)
  const nodes = entries.map(([id, entry], index) => decode(id, entry, index))
  return { nodes, coverage: counter.coverage, rejected: rejected.list() }
}

/** More nodes of one pool are not exported; they are counted as rejected. */
const MAX_NODES = 5_000

/**
 * The nodes of a response by id, sorted.
 * @throws {ApiError} `schema` if the body is not that of the dashboard API, or none of its nodes has an id
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
export function poolNameIn(nodes: readonly Pick<NodeReading, 'poolName'>[]): string | undefined {
  return nodes.find(({ poolName }) => poolName !== undefined)?.poolName
}

/** Number of nodes by state of one attribute. */
export interface Coverage {
  served: number
  absent: number
  unreadable: number
}

type CoverageCounter = ReturnType<typeof createCoverageCounter>
type NodeCoverageCounter = ReturnType<CoverageCounter['forNode']>

/** Counts the attributes of the nodes of one response; rejected values are added to `rejected`. */
function createCoverageCounter(rejected: RejectedValues) {
  const coverage = new Map<CoverageAttribute, Coverage>(
    COVERAGE_ATTRIBUTES.map((attribute) => [attribute, { served: 0, absent: 0, unreadable: 0 }]),
  )

  function count(attribute: CoverageAttribute, state: keyof Coverage): void {
    const counts = coverage.get(attribute)
    if (counts !== undefined) counts[state] += 1
  }

  function forNode(id: string) {
    const node = id.slice(0, MAX_REJECTED_CHARACTERS)
    return {
      /** Counts the state of an attribute; returns its value if it is served. */
      record<T>(attribute: CoverageAttribute, read: Read<T>): T | undefined {
        const isUnreadable = read instanceof Unreadable
        count(attribute, isUnreadable ? 'unreadable' : read === undefined ? 'absent' : 'served')
        if (!isUnreadable) return read
        rejected.add({ attribute, reason: read.rejection, node, text: read.text })
        return undefined
      },
      /** As {@link record}, for attributes with a list of values, which are rejected one by one. */
      recordList<T>(
        attribute: CoverageAttribute,
        read: (reject: Reject) => T,
        isServed: (value: T) => boolean,
      ): T {
        const before = rejected.count()
        const value = read((reason, text, times) => rejected.add({ attribute, reason, node, text }, times))
        count(attribute, isServed(value) ? 'served' : rejected.count() > before ? 'unreadable' : 'absent')
        return value
      },
    }
  }

  return { coverage, forNode }
}

type NodeValues = Pick<ReadonlyMap<AttributeName, Snapshot>, 'get'> &
  Iterable<readonly [AttributeName, Snapshot]>

const NAMES: readonly AttributeName[] = ATTRIBUTES.map(({ name }) => name)
const INDEXES: ReadonlyMap<AttributeName, number> = new Map(NAMES.map((name, index) => [name, index]))

/** The time and the value of each attribute of one node; NaN for an attribute without a value. */
const NUMBERS_OF_NODE = 2 * NAMES.length

/**
 * A node of the feed has about 40 snapshots. The numbers of all nodes of a response are in one array outside of the heap of
 * V8: objects would be copied twice by the collection of garbage.
 */
class NodeValuesList implements NodeValues {
  readonly #numbers: Float64Array
  readonly #start: number

  constructor(numbers: Float64Array, node: number) {
    this.#numbers = numbers
    this.#start = node * NUMBERS_OF_NODE
  }

  set(name: AttributeName, { t, value }: Snapshot): void {
    const index = this.#start + 2 * (INDEXES.get(name) ?? 0)
    this.#numbers[index] = t
    this.#numbers[index + 1] = value
  }

  get(name: AttributeName): Snapshot | undefined {
    const index = this.#start + 2 * (INDEXES.get(name) ?? 0)
    const t = this.#numbers[index] ?? Number.NaN
    const value = this.#numbers[index + 1] ?? Number.NaN
    return Number.isNaN(t) ? undefined : { t, value }
  }

  *[Symbol.iterator](): Generator<readonly [AttributeName, Snapshot]> {
    for (const name of NAMES) {
      const snapshot = this.get(name)
      if (snapshot !== undefined) yield [name, snapshot]
    }
  }
}

/** The current state of one node. Values are in base units; absent attributes are missing. */
export interface NodeReading {
  readonly id: string
  /** displayName; undefined if absent. */
  readonly name: string | undefined
  readonly poolName: string | undefined
  readonly apiChange: string | undefined
  /** One of HEALTH_STATES, or an undocumented status. */
  readonly health: string | undefined
  readonly disks: DiskCounts
  readonly values: NodeValues
  readonly errors: TransactionErrors | undefined
  readonly forecasts: readonly Forecast[]
}

const ERRORS_KEY = `${TRANSACTION_ERRORS.name}Current`

/** Maximum number of list entries (error types, forecasts) of one response, over all nodes. */
export const MAX_LIST_ENTRIES = 50_000

/**
 * Creates a decoder for the nodes of one response. It bounds the total number of list entries.
 * @param counter counts served, absent and rejected attributes
 * @param bandwidthUnit unit of attributes with the value tag `Bandwidth`
 * @param nodes how many the response has
 */
function createNodeDecoder(
  counter: CoverageCounter,
  bandwidthUnit: FeedBandwidthUnit,
  nodes: number,
): (id: string, entry: JsonObject, index: number) => NodeReading {
  const left = { errorTypes: MAX_LIST_ENTRIES, forecasts: MAX_LIST_ENTRIES }
  const numbers = new Float64Array(nodes * NUMBERS_OF_NODE).fill(Number.NaN)

  return (id, entry, index) => {
    const node = counter.forNode(id)
    const reading = {
      id,
      name: readName(member(entry, 'displayName')),
      poolName: readName(member(entry, 'storagePoolName')),
      apiChange: readName(member(entry, 'apiChange')),
      health: node.record('healthStatus', readStatus(member(entry, 'healthStatus'))),
      disks: decodeDisks(entry, node),
      values: decodeValues(entry, node, bandwidthUnit, new NodeValuesList(numbers, index)),
      errors: node.recordList(
        TRANSACTION_ERRORS.name,
        (reject) => readTransactionErrors(member(entry, ERRORS_KEY), reject, left.errorTypes),
        (errors) => errors !== undefined,
      ),
      forecasts: node.recordList(
        FORECAST.name,
        (reject) => readForecasts(member(entry, FORECAST.name), reject, left.forecasts),
        (list) => list.length > 0,
      ),
    }
    left.errorTypes -= reading.errors?.types.length ?? 0
    left.forecasts = Math.max(0, left.forecasts - asList(member(entry, FORECAST.name)).length)
    return reading
  }
}

/** Maximum length of a status as a label value. */
const MAX_STATUS_CHARACTERS = 64

function readStatus(value: unknown): Read<string> {
  const text = readText(value)
  if (text !== undefined) return shortened(text, MAX_STATUS_CHARACTERS)
  const isAbsent = value === undefined || value === null || typeof value === 'string'
  return isAbsent ? undefined : new Unreadable('shape', value)
}

const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]

type DiskCounts = Readonly<Partial<Record<DiskCount, number>>>

function decodeDisks(entry: JsonObject, node: NodeCoverageCounter): DiskCounts {
  // A map takes four times the memory.
  const disks: Partial<Record<DiskCount, number>> = {}
  for (const key of DISK_KEYS) {
    const number = node.record(key, readNumber(member(entry, key), UNITS.count))
    if (number !== undefined) disks[key] = number
  }
  return disks
}

/** The keys: `diskSpaceFreeL1Current` by the rule of the API document, `diskSpaceFreeCurrentL1` on real systems. */
const READERS = ATTRIBUTES.map(({ name, tag, unit }) => {
  const level = /^(.*)(L[12])$/.exec(name)
  return { name, tag, unit, keys: [`${name}Current`, ...(level ? [`${level[1]}Current${level[2]}`] : [])] }
})

function decodeValues(
  entry: JsonObject,
  node: NodeCoverageCounter,
  bandwidthUnit: FeedBandwidthUnit,
  values: NodeValuesList,
): NodeValues {
  for (const { name, tag, unit, keys } of READERS) {
    const ofSource = tag === BANDWIDTH_TAG ? bandwidthUnit : unit
    const snapshot = node.record(name, readAnyName(entry, keys, tag, UNITS[ofSource]))
    if (snapshot !== undefined) values.set(name, snapshot)
  }
  return values
}

/** Disk I/O has another tag. */
const BANDWIDTH_TAG = 'Bandwidth'

/** The newest snapshot of an attribute under any of its names. */
function readAnyName(entry: JsonObject, keys: readonly string[], tag: string, unit: UnitRow): Read<Snapshot> {
  const [first = ''] = keys
  const value = keys.length === 1 ? member(entry, first) : keys.flatMap((key) => member(entry, key) ?? [])
  return readNewest(value, tag, unit)
}

/** The dashboard API of a pool. API document, "Get nodes of a storage pool". */
export function nodesPath(poolId: string): string {
  return `/dashboard/storagepools/${idSegment(poolId)}/nodes`
}

/** One time frame: a node whose usage falls in a frame of a request has no forecast of any of its frames. */
export interface ForecastRequest extends Pick<ForecastConfig, 'targets' | 'braces'> {
  readonly timeFrame: string
}

/**
 * The query of the forecasts. Whether the braces of the document are meant literally is not known, so they are a
 * setting; both are percent-encoded, because some servers split queries at semicolons.
 */
export function forecastQuery({ timeFrame, targets, braces }: ForecastRequest): string {
  const list = (items: readonly (string | number)[]) => {
    const joined = items.join(';')
    return encodeURIComponent(braces ? `{${joined}}` : joined)
  }
  return `category=capacityForecast&cfTimeFrame=${list([timeFrame])}&cfTarget=${list(targets)}`
}
