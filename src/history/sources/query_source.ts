import type { NodeReading } from '../../api/feed/feed.ts'
import { createJoin, type QueriedAttribute, unmatchedRows } from '../../api/query/merge.ts'
import {
  MAX_RANGE_SECONDS,
  type Moment,
  type NodePast,
  type PastReader,
} from '../../api/query/past_reader.ts'
import { QUERIES } from '../../api/query/requests/queries.ts'
import { ATTRIBUTES, type Labels } from '../../catalogue.ts'
import { boundText, uniqueNames } from '../../metrics/samples.ts'
import { boundedName } from '../../values/names.ts'
import type { HistorySeries } from '../series.ts'
import { type HistorySource, readWindows } from './source.ts'

/** A pool whose nodes get values of the Flux API. */
interface QueriedPool {
  /** The label `pool`. */
  readonly label: string
  readonly nodes: readonly NodeReading[]
  /** The attributes that are taken from there. */
  readonly attributes: ReadonlySet<QueriedAttribute>
}

interface QuerySourceOptions extends Pick<HistorySource, 'key' | 'system'> {
  readonly reader: PastReader
  readonly pools: readonly QueriedPool[]
  /** The nodes of all pools of the system, also of those that are not written. */
  readonly nodes: readonly NodeReading[]
  /** Seconds since the epoch: earlier values are deleted by now. */
  readonly from: number
}

/** Time between two points of the Flux API. */
const QUERY_STEP_SECONDS = 300

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
        const series = pools.flatMap((pool) => [...seriesOf(pool, find, system, labels)])
        yield { period: window, series, rejected: reading.rejected, failed: reading.failed }
      }
    },
  }
}

function* seriesOf(
  { label, nodes, attributes }: QueriedPool,
  find: (node: NodeReading) => NodePast | undefined,
  system: string,
  more: Labels,
): Generator<HistorySeries> {
  const names = uniqueNames(nodes)
  for (const [index, node] of nodes.entries()) {
    const base = { system, pool: label, node: names[index] ?? node.id, ...more }
    yield* nodeSeries(find(node)?.moments ?? [], base, attributes)
  }
}

interface GrowingSeries extends HistorySeries {
  readonly times: number[]
  readonly values: number[]
}

/** The series of a node. The buckets of a histogram follow each other, in ascending order of their bounds. */
function* nodeSeries(
  moments: readonly Moment[],
  base: Labels,
  attributes: ReadonlySet<QueriedAttribute>,
): Generator<HistorySeries> {
  const all = new Map<string, GrowingSeries>()
  for (const moment of moments)
    addMoment(moment, attributes, (family, labels, value) => {
      if (value === undefined) return
      const key = JSON.stringify([family, labels])
      const series = all.get(key) ?? { family, labels: { ...base, ...labels }, times: [], values: [] }
      series.times.push(moment.t)
      series.values.push(value)
      all.set(key, series)
    })
  const boundOf = ({ labels: { le = '' } }: HistorySeries) => (le === '+Inf' ? Number.MAX_VALUE : Number(le))
  for (const series of Map.groupBy(all.values(), ({ labels }) => labels['operation']).values())
    yield* series.toSorted((a, b) => boundOf(a) - boundOf(b))
}

const ATTRIBUTE_OF = new Map<string, (typeof ATTRIBUTES)[number]>(ATTRIBUTES.map((one) => [one.name, one]))

type AddValue = (family: string, labels: Labels, value: number | undefined) => void

/** The samples of the values that are of the time of the moment. */
function addMoment(moment: Moment, attributes: ReadonlySet<QueriedAttribute>, add: AddValue): void {
  const { t, performance } = moment
  const { values, latencies, interfaces } = performance
  for (const [name, snapshot] of values) {
    const { historyFamily = '', labels = {} } = ATTRIBUTE_OF.get(name) ?? {}
    if (snapshot.t === t && attributes.has(name)) add(historyFamily, labels, snapshot.value)
  }
  if (attributes.has('transactionErrors')) addErrors(moment, add)
  for (const [operation, histogram] of latencies)
    for (const { seconds, count } of histogram.t === t ? histogram.buckets : [])
      add('sds_node_transaction_latency_seconds_bucket', { operation, le: boundText(seconds) }, count)
  for (const traffic of interfaces.filter((one) => one.t === t)) {
    const labels = { interface: boundedName(traffic.name) }
    add('sds_node_nic_interface_received_bytes_per_second', labels, traffic.receivedBytesPerSecond)
    add('sds_node_nic_interface_transmitted_bytes_per_second', labels, traffic.transmittedBytesPerSecond)
  }
}

function addErrors({ t, performance: { transactions, errorTypes } }: Moment, add: AddValue): void {
  if (transactions?.t === t) {
    add('sds_node_transaction_errors_ratio', {}, transactions.all?.value)
    add('sds_node_transactions_succeeded', {}, transactions.succeeded)
    add('sds_node_transactions_failed', {}, transactions.failed)
  }
  if (errorTypes?.t !== t) return
  for (const { category, errorType: error_type, rate, count } of errorTypes.types) {
    add('sds_node_transaction_errors_by_type_ratio', { category, error_type }, rate?.value)
    add('sds_node_transaction_errors_by_type', { category, error_type }, count)
  }
}
