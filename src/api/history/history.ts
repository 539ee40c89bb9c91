import type { FeedBandwidthUnit } from '../../catalogue.ts'
import { nodeEntries } from '../feed/feed.ts'
import { MAX_LIST_ENTRIES } from '../feed/node_reading.ts'
import { createRejectedValues, type RejectedValue } from '../feed/rejected_values.ts'
import { MAX_REJECTED_CHARACTERS } from '../parse/reads.ts'
import { decodeNodeHistory, type NodeHistory } from './node_history.ts'
import type { SeriesOptions, Served } from './series.ts'

/** The past of a pool in a period. */
export interface HistoryReading {
  /** Sorted by id. */
  readonly nodes: readonly NodeHistory[]
  readonly served: Readonly<Served>
  readonly rejected: readonly RejectedValue[]
}

export interface HistoryOptions extends Pick<SeriesOptions, 'period' | 'respondedAt'> {
  /** Unit of attributes with the value tag `Bandwidth`. */
  readonly bandwidthUnit?: FeedBandwidthUnit
}

/**
 * Decodes a response of the nodes feed with `dataType=historical`, in all documented forms and those of real systems.
 * Points outside of the period are dropped.
 * @throws {ApiError} `schema` if the body is not a nodes feed, or none of its nodes has an id
 */
export function decodeHistory(
  body: unknown,
  { period, respondedAt, bandwidthUnit = 'MB/s' }: HistoryOptions,
): HistoryReading {
  const rejected = createRejectedValues()
  const served: Served = { points: 0, farPoints: 0, step: Number.POSITIVE_INFINITY }
  const nodes: NodeHistory[] = []
  let maxErrorTypes = MAX_LIST_ENTRIES
  for (const [id, entry] of nodeEntries(body, rejected)) {
    const node = id.slice(0, MAX_REJECTED_CHARACTERS)
    const rejectAs = (attribute: string) => (reason: RejectedValue['reason'], text: string, times?: number) =>
      rejected.add({ attribute, reason, node, text }, times)
    const options = { period, respondedAt, bandwidthUnit, served, rejectAs, maxErrorTypes }
    const history = decodeNodeHistory(id, entry, options)
    maxErrorTypes -= history.errors.types.length
    nodes.push(history)
  }
  return { nodes, served, rejected: rejected.list() }
}
