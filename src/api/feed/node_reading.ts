import {
  ATTRIBUTES,
  type AttributeName,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  DISK_COUNTS,
  type DiskCount,
  type FeedBandwidthUnit,
  FORECAST,
  type PlausibleRange,
  type SourceUnit,
  TRANSACTION_ERRORS,
  UNITS,
} from '../../catalogue.ts'
import { shortened } from '../../text.ts'
import {
  ABSENT,
  asList,
  isObject,
  type JsonObject,
  MAX_REJECTED_CHARACTERS,
  member,
  type Read,
  type Reject,
  type RejectedValues,
  readName,
  readNumber,
  readText,
  served,
  servedOrRejected,
  unreadable,
} from '../parse/json.ts'
import { readNewest, readTransactionErrors, type Snapshot, type TransactionErrors } from './snapshots.ts'

/** Number of nodes by state of one attribute. */
export interface Coverage {
  served: number
  absent: number
  unreadable: number
}

type CoverageCounter = ReturnType<typeof createCoverageCounter>
type NodeCoverageCounter = ReturnType<CoverageCounter['forNode']>

/** Counts the attributes of the nodes of one response; rejected values are added to `rejected`. */
export function createCoverageCounter(rejected: RejectedValues) {
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
        count(attribute, read.state)
        if (read.state === 'unreadable')
          rejected.add({ attribute, reason: read.rejection, node, text: read.text })
        return read.state === 'served' ? read.value : undefined
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

type NodeValues = Pick<ReadonlyMap<AttributeName, Snapshot>, 'get' | 'has' | 'size'> &
  Iterable<readonly [AttributeName, Snapshot]>

const NAMES: readonly AttributeName[] = ATTRIBUTES.map(({ name }) => name)
const INDEXES: ReadonlyMap<AttributeName, number> = new Map(NAMES.map((name, index) => [name, index]))

/** A node of the feed has about 40 snapshots; as numbers in one list they take a quarter of the memory of objects. */
class NodeValuesList implements NodeValues {
  /** The time and the value of each attribute; NaN for an attribute without a value. */
  readonly #numbers = new Array<number>(2 * NAMES.length).fill(Number.NaN)
  /** Units that are not those of the catalogue. */
  #units: Map<AttributeName, SourceUnit> | undefined

  set(name: AttributeName, { t, value, unit }: Snapshot): void {
    const index = INDEXES.get(name) ?? 0
    this.#numbers[2 * index] = t
    this.#numbers[2 * index + 1] = value
    if (unit !== undefined) this.#units = (this.#units ?? new Map()).set(name, unit)
  }

  get(name: AttributeName): Snapshot | undefined {
    const index = INDEXES.get(name) ?? 0
    const t = this.#numbers[2 * index] ?? Number.NaN
    const value = this.#numbers[2 * index + 1] ?? Number.NaN
    const unit = this.#units?.get(name)
    if (Number.isNaN(t)) return undefined
    return unit === undefined ? { t, value } : { t, value, unit }
  }

  has(name: AttributeName): boolean {
    return this.get(name) !== undefined
  }

  get size(): number {
    return [...this].length
  }

  *[Symbol.iterator](): Generator<readonly [AttributeName, Snapshot]> {
    for (const name of NAMES) {
      const snapshot = this.get(name)
      if (snapshot !== undefined) yield [name, snapshot]
    }
  }
}

/** The current state of one node. Values are in the units of the source; absent attributes are missing. */
export interface NodeReading {
  readonly id: string
  /** displayName; undefined if absent. */
  readonly name: string | undefined
  readonly poolName: string | undefined
  readonly apiChange: string | undefined
  /** One of HEALTH_STATES, or an undocumented status. */
  readonly health: string | undefined
  readonly disks: ReadonlyMap<DiskCount, number>
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
 */
export function createNodeDecoder(
  counter: CoverageCounter,
  bandwidthUnit: FeedBandwidthUnit,
): (id: string, entry: JsonObject) => NodeReading {
  const left = { errorTypes: MAX_LIST_ENTRIES, forecasts: MAX_LIST_ENTRIES }

  return (id, entry) => {
    const node = counter.forNode(id)
    const reading = {
      id,
      name: readName(member(entry, 'displayName')),
      poolName: readName(member(entry, 'storagePoolName')),
      apiChange: readName(member(entry, 'apiChange')),
      health: node.record('healthStatus', readStatus(member(entry, 'healthStatus'))),
      disks: decodeDisks(entry, node),
      values: decodeValues(entry, node, bandwidthUnit),
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
  if (text !== undefined) return served(shortened(text, MAX_STATUS_CHARACTERS))
  const isAbsent = value === undefined || value === null || typeof value === 'string'
  return isAbsent ? ABSENT : unreadable('shape', value)
}

const DISK_KEYS = ['numDisks', ...Object.keys(DISK_COUNTS)] as readonly DiskCount[]

function decodeDisks(entry: JsonObject, node: NodeCoverageCounter): Map<DiskCount, number> {
  const disks = new Map<DiskCount, number>()
  for (const key of DISK_KEYS) {
    const number = node.record(key, readNumber(member(entry, key), UNITS.count))
    if (number !== undefined) disks.set(key, number)
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
): NodeValues {
  const values = new NodeValuesList()
  for (const { name, tag, unit, keys } of READERS) {
    const ofSource = tag === BANDWIDTH_TAG ? bandwidthUnit : unit
    const snapshot = node.record(name, readAnyName(entry, keys, tag, UNITS[ofSource]))
    if (snapshot === undefined) continue
    values.set(name, ofSource === unit ? snapshot : { ...snapshot, unit: ofSource })
  }
  return values
}

/** Disk I/O has another tag. */
const BANDWIDTH_TAG = 'Bandwidth'

/** The newest snapshot of an attribute under any of its names. */
function readAnyName(
  entry: JsonObject,
  keys: readonly string[],
  tag: string,
  range: PlausibleRange,
): Read<Snapshot> {
  const [first = ''] = keys
  const value = keys.length === 1 ? member(entry, first) : keys.flatMap((key) => member(entry, key) ?? [])
  return readNewest(value, tag, range)
}

export interface Forecast {
  /** The time frame: days of history that are extrapolated. */
  readonly historyDays: string
  /** Percent of the total capacity. */
  readonly targetPercent: string
  /** Days from now; 0: already reached; undefined: no forecast (`N/A`). */
  readonly days: number | undefined
}

/** Maximum length of an unknown unit in a log line. */
const MAX_UNIT_CHARACTERS = 16

/**
 * Reads `allocatedCapacityForecast`. Source: API document, "Forecast entry".
 * @param max maximum number of entries to read, if less than that of a node
 */
function readForecasts(value: unknown, reject: Reject, max: number): Forecast[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const read = list.slice(0, Math.min(max, FORECAST.maxEntries))
  if (list.length > read.length) reject('too_many', `${list.length} forecasts`, list.length - read.length)
  const entries = read.filter((entry) => isObject(entry) || readNumber(entry).state !== 'absent')
  const forecasts = new Map<string, Forecast>()
  for (const entry of entries) {
    const forecast = isObject(entry) ? readEntry(entry, reject) : undefined
    if (!isObject(entry)) reject('shape', typeof entry)
    if (forecast === undefined) continue
    const key = keyOf(forecast)
    if (forecasts.has(key)) reject('duplicate', key)
    forecasts.set(key, forecast)
  }
  return [...forecasts.values()]
}

const keyOf = ({ historyDays, targetPercent }: Forecast) => `${historyDays} ${targetPercent}`

/** One forecast for each time frame and target: a system may give those of others than the requested time frame, too. */
export function distinctForecasts(forecasts: readonly Forecast[]): Forecast[] {
  return [...new Map(forecasts.map((forecast) => [keyOf(forecast), forecast])).values()]
}

function readEntry(entry: JsonObject, reject: Reject): Forecast | undefined {
  const history = readNumber(member(entry, 'history'), UNITS.day)
  const target = readNumber(member(entry, 'target'), UNITS.Percent)
  if (history.state !== 'served' || target.state !== 'served') {
    reject('shape', 'a forecast without its time frame or target')
    return undefined
  }
  const named = { historyDays: String(history.value), targetPercent: String(target.value) }
  const days = readNumber(member(entry, 'forecast'), UNITS[FORECAST.unit])
  if (days.state === 'absent') return { ...named, days: undefined }
  const value = servedOrRejected(days, reject)
  if (value === undefined) return undefined
  const unit = readText(member(entry, 'unit')) ?? ''
  // "0" may have no unit. With an unknown unit the number of days would be wrong.
  if (unit !== FORECAST.unit && unit !== `${FORECAST.unit}s` && value !== 0) {
    reject('shape', `the unit ${unit.slice(0, MAX_UNIT_CHARACTERS)}`)
    return undefined
  }
  return { ...named, days: value }
}
