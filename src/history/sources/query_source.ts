import type { NodeReading } from '../../api/feed/feed.ts'
import type { NodeHistory } from '../../api/history/history.ts'
import { createJoin, type QueriedAttribute, unmatchedRows } from '../../api/query/merge.ts'
import type { NodePast } from '../../api/query/past.ts'
import { MAX_RANGE_SECONDS, type PastReader } from '../../api/query/past_reader.ts'
import { QUERIES } from '../../api/query/requests/queries.ts'
import { type HistorySeries, historySeries } from '../series.ts'
import { type HistorySource, readWindows } from './source.ts'

/** A pool whose nodes get values of the Flux API. */
export interface QueriedPool {
  /** The label `pool`. */
  readonly label: string
  readonly nodes: readonly NodeReading[]
  /** The attributes that are taken from there. */
  readonly attributes: ReadonlySet<QueriedAttribute>
}

export interface QuerySourceOptions extends Pick<HistorySource, 'key' | 'system'> {
  readonly reader: PastReader
  readonly pools: readonly QueriedPool[]
  /** The nodes of all pools of the system, also of those that are not written. */
  readonly nodes: readonly NodeReading[]
  /** Seconds since the epoch: earlier values are deleted by now. */
  readonly from: number
  readonly firstPauseMs?: number
}

/** Time between two points of the Flux API. */
export const QUERY_STEP_SECONDS = 300

/** The history of the nodes of a system, from its Flux API. Points have the times at which they were measured. */
export function querySource(options: QuerySourceOptions): HistorySource {
  const { key, system, from, reader, pools, nodes } = options
  return {
    key,
    system,
    from,
    label: 'Flux API',
    requests: ({ start, end }) => (QUERIES.length * (end - start)) / MAX_RANGE_SECONDS,
    async *read(period, { labels, notice, signal }) {
      if (period.interval !== QUERY_STEP_SECONDS)
        notice(`points come about every ${QUERY_STEP_SECONDS} s, whatever --interval is`)
      const windows = readWindows({
        // The reader shortens the ranges of single queries.
        period: { ...period, interval: MAX_RANGE_SECONDS },
        points: 1,
        signal,
        isRepeated: reader.isPassing,
        ...(options.firstPauseMs !== undefined && { firstPauseMs: options.firstPauseMs }),
        async read(window) {
          const read = () => reader.read({ start: window.start, stop: window.end }, signal)
          const reading = await read()
          // Most failures of single queries pass.
          return { period: window, reading: reading.failed.size === 0 ? reading : await read() }
        },
      })
      for await (const { period: window, reading } of windows) {
        if (unmatchedRows(reading, [{ nodes }]) > 0)
          notice('some rows are of nodes that are in no pool, such as former nodes: they are left out')
        const find = createJoin(reading.nodes, [{ nodes }])
        const series = pools.flatMap((pool) => seriesOf(pool, find, system, labels))
        yield { period: window, series, rejected: reading.rejected, failed: reading.failed }
      }
    },
  }
}

function seriesOf(
  { label, nodes, attributes }: QueriedPool,
  find: (node: NodeReading) => NodePast | undefined,
  system: string,
  labels: Readonly<Record<string, string>>,
): HistorySeries[] {
  const histories = nodes.map((node) => historyOf(node, find(node), attributes))
  return [...historySeries({ nodes: histories }, { system, pool: label }, labels)]
}

function historyOf(
  { id, name, poolName }: NodeReading,
  past: NodePast | undefined,
  attributes: ReadonlySet<QueriedAttribute>,
): NodeHistory {
  const node = { id, name, poolName }
  const none = { all: undefined, types: [] }
  if (past === undefined) return { ...node, attributes: new Map(), errors: none }
  const names: ReadonlySet<string> = attributes
  return {
    ...node,
    attributes: new Map([...past.attributes].filter(([attribute]) => names.has(attribute))),
    errors: attributes.has('transactionErrors') ? past.errors : none,
    latencies: past.latencies ?? [],
    interfaces: past.interfaces ?? [],
  }
}
