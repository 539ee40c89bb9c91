import { LATENCY_IDS } from '../../query_catalogue.ts'
import { SECONDS_PER_DAY } from '../../time_units.ts'
import { oncePerKey } from '../../values/memo.ts'
import {
  type Amounts,
  amountOf,
  amountsOf,
  bytesIn,
  createAmounts,
  errorsIn,
  failedIn,
  succeededIn,
} from '../model/activity.ts'
import type { StorageModel } from '../model/model.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { PROTOCOLS } from '../model/traffic.ts'
import { namespacesOf } from '../resources/namespaces.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { addLatencies, latencyQuantile, newLatencies } from './counters.ts'
import { type Bucket, type FieldSeries, systemSeries } from './series.ts'

/**
 * Values of the whole system in windows of five minutes, as far as other clients than the exporter read them. The time
 * of a point is the start of its window: the newest one is five to ten minutes old.
 */
export const MONITORING_VDC: Bucket = {
  retentionSeconds: 60 * SECONDS_PER_DAY,
  delaySeconds: STATISTICS_INTERVAL_SECONDS + 5,
  series: vdcSeries,
}

type Tags = Readonly<Record<string, string>>
type Amount = (amounts: Amounts) => number
type VdcRow = readonly [measurement: string, tags: Tags, fields: Readonly<Record<string, Amount>>]

/** The limit of real systems for series of namespaces. */
const MAX_NAMESPACES = 25
const QUANTILES = { p50: 0.5, p99: 0.99 } as const

function* vdcSeries({ model }: ResourceRequest): Iterable<FieldSeries> {
  const nodes = model.pools.flatMap((pool) => pool.nodes)
  const amountsUntil = createAmounts(model, nodes, STATISTICS_INTERVAL_SECONDS)
  for (const [measurement, tags, fields] of rowsOf(model))
    for (const [field, amount] of Object.entries(fields))
      yield seriesOf(
        measurement,
        tags,
        field,
        (end) => amount(amountsUntil(end)) / STATISTICS_INTERVAL_SECONDS,
      )
  const latenciesUntil = oncePerKey((end: number) => {
    const counts = newLatencies()
    for (const node of nodes) addLatencies(counts, 0, amountsOf(model.stateOf(node, end)))
    return counts
  })
  for (const [operation, id] of Object.values(LATENCY_IDS).entries())
    for (const [field, part] of Object.entries(QUANTILES))
      yield seriesOf('latency', { id }, field, (end) => latencyQuantile(latenciesUntil(end), operation, part))
}

function seriesOf(
  measurement: string,
  tags: Tags,
  _field: string,
  valueAt: (end: number) => number,
): FieldSeries {
  const columns = { _field, _measurement: `cq_performance_${measurement}`, ...tags }
  return systemSeries(columns, 'double', (start) => valueAt(start + STATISTICS_INTERVAL_SECONDS))
}

const transactionFields = (succeeded: Amount, failed: Amount) => {
  return { succeed_request_counter: succeeded, failed_request_counter: failed }
}
const errorFields = (head = '', part = 1) => {
  const [user, system] = [errorsIn('User', head), errorsIn('System', head)]
  return { user_errors: partOf(user, part), system_errors: partOf(system, part) }
}
const partOf = (amount: Amount, part: number) => (amounts: Amounts) => amount(amounts) * part

/** Reads and writes fail alike, and the transactions of namespaces are in proportion to their data. */
function rowsOf(model: StorageModel): VdcRow[] {
  const all = amountOf('readCount', 'writeCount')
  const methodRow = (method: string, count: Amount): VdcRow => {
    const failed = (amounts: Amounts) => (failedIn(amounts) * count(amounts)) / Math.max(1, all(amounts))
    const fields = transactionFields((amounts) => count(amounts) - failed(amounts), failed)
    return ['transaction_method', { method }, fields]
  }
  return [
    ['transaction', {}, transactionFields(succeededIn, failedIn)],
    methodRow('READ', amountOf('readCount')),
    methodRow('WRITE', amountOf('writeCount')),
    ...namespacesOf(model)
      .slice(0, MAX_NAMESPACES)
      .flatMap(({ name: namespace, part }): VdcRow[] => [
        [
          'transaction_ns',
          { namespace },
          transactionFields(partOf(succeededIn, part), partOf(failedIn, part)),
        ],
        ['error_ns', { namespace }, errorFields('', part)],
      ]),
    ['error', {}, errorFields()],
    ...PROTOCOLS.map((head): VdcRow => ['error_head', { head }, errorFields(head)]),
    [
      'throughput',
      {},
      { total_read_requests_size: bytesIn('readSize'), total_write_requests_size: bytesIn('writeSize') },
    ],
  ]
}
