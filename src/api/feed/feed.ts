import { type CoverageAttribute, type FeedBandwidthUnit, FORECAST } from '../../catalogue.ts'
import type { ForecastConfig } from '../../config/config.ts'
import { shortened } from '../../text.ts'
import { ApiError, idSegment } from '../errors/errors.ts'
import {
  createRejectedValues,
  embeddedList,
  isObject,
  type JsonObject,
  MAX_REJECTED_CHARACTERS,
  member,
  type RejectedValue,
  type RejectedValues,
  type Rejection,
  readName,
  readText,
} from '../parse/json.ts'
import {
  type Coverage,
  createCoverageCounter,
  createNodeDecoder,
  distinctForecasts,
  type Forecast,
  type NodeReading,
} from './node_reading.ts'

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
  const decode = createNodeDecoder(counter, bandwidthUnit)
  const nodes = nodeEntries(body, rejected).map(([id, entry]) => decode(id, entry))
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
export function poolNameIn(reading: NamedNodes): string | undefined {
  return reading.nodes.find(({ poolName }) => poolName !== undefined)?.poolName
}

export interface NamedNodes {
  readonly nodes: readonly Pick<NodeReading, 'poolName'>[]
}

/** The forecasts of all nodes, by node, in the response to the request of one time frame. */
interface FrameForecasts {
  readonly nodes: ReadonlyMap<string, readonly Forecast[]>
  readonly coverage: Readonly<Coverage>
  /** When they were read, in seconds since the epoch. */
  readonly lastSuccess?: number
}

/** By time frame of the requests; undefined after requests that failed. Empty: none are requested. */
export type ForecastFrames = ReadonlyMap<string, FrameForecasts | undefined>

export function frameForecasts({ nodes, coverage }: FeedReading): FrameForecasts {
  return {
    nodes: new Map(nodes.map(({ id, forecasts }) => [id, forecasts])),
    coverage: coverage.get(FORECAST.name) ?? { served: 0, absent: nodes.length, unreadable: 0 },
  }
}

/** The forecasts of all time frames, by node. */
export function forecastsByNode(frames: ForecastFrames): ReadonlyMap<string, readonly Forecast[]> {
  const all = new Map<string, readonly Forecast[]>()
  for (const frame of frames.values())
    for (const [id, own] of frame?.nodes ?? []) {
      const others = all.get(id)
      all.set(id, others === undefined ? own : distinctForecasts([...others, ...own]))
    }
  return all
}

/**
 * Coverage in the time frame that most nodes have; undefined if no forecasts are requested.
 * @param nodes of the pool
 */
export function forecastCoverage(frames: ForecastFrames, nodes: number): Readonly<Coverage> | undefined {
  if (frames.size === 0) return undefined
  const none: Coverage = { served: 0, absent: nodes, unreadable: 0 }
  const all = [...frames.values()].flatMap((frame) => frame?.coverage ?? [])
  return all.reduce((best, one) => {
    const more = one.served - best.served || one.unreadable - best.unreadable
    return more > 0 ? one : best
  }, none)
}

/** The dashboard API of a pool. API document, "Get nodes of a storage pool". */
export function nodesPath(poolId: string): string {
  return `/dashboard/storagepools/${idSegment(poolId)}/nodes`
}

export const CURRENT_QUERY = 'dataType=current'

/** How a query for forecasts begins. It is not documented whether `dataType=current` includes them. */
const FORECAST_FORMS = ['', `${CURRENT_QUERY}&`] as const
type ForecastForm = (typeof FORECAST_FORMS)[number]

/**
 * What one request asks for. A node has no forecast of any time frame of a request if its usage falls in one of them, so
 * each is requested alone.
 */
interface ForecastRequest extends Pick<ForecastConfig, 'targets' | 'braces'> {
  readonly timeFrame: string
}

/**
 * The query of the forecasts. Whether the braces of the document are meant literally is not known, so they are a
 * setting; both are percent-encoded, because some servers split queries at semicolons.
 */
export function forecastQuery({ timeFrame, targets, braces }: ForecastRequest, form: ForecastForm): string {
  const list = (items: readonly (string | number)[]) => {
    const joined = items.join(';')
    return encodeURIComponent(braces ? `{${joined}}` : joined)
  }
  return `${form}category=capacityForecast&cfTimeFrame=${list([timeFrame])}&cfTarget=${list(targets)}`
}

/**
 * Requests forecasts in the form that one system understands: the category alone or, if no node has forecasts then, with
 * `dataType=current`. The form that had forecasts is remembered until a pool has none with it, as after an upgrade.
 */
export function createForecasts(
  read: (poolId: string, query: string, signal: AbortSignal) => Promise<FeedReading>,
) {
  let known: ForecastForm | undefined

  return async (poolId: string, forecast: ForecastRequest, signal: AbortSignal): Promise<FeedReading> => {
    const request = async (form: ForecastForm): Promise<FeedReading> => {
      const reading = await read(poolId, forecastQuery(forecast, form), signal)
      if (hasForecasts(reading)) known = form
      else if (known === form && reading.nodes.length > 0) known = undefined
      return reading
    }
    const [alone, withCurrent] = FORECAST_FORMS
    const wasKnown = known !== undefined
    const first = await request(known ?? alone)
    if (wasKnown || hasForecasts(first) || first.nodes.length === 0) return first
    const second = await request(withCurrent)
    return hasForecasts(second) ? second : first
  }
}

/** Whether a node has the attribute, readable or not. */
function hasForecasts({ coverage }: FeedReading): boolean {
  const counts = coverage.get(FORECAST.name)
  return (counts?.served ?? 0) + (counts?.unreadable ?? 0) > 0
}
