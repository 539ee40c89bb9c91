import { LATENCY_IDS } from '../../query_catalogue.ts'
import { SECONDS_PER_DAY } from '../../time_units.ts'
import {
  type Amounts,
  amountOf,
  bytesIn,
  createAmounts,
  errorsIn,
  failedIn,
  latencyIn,
  succeededIn,
} from '../model/activity.ts'
import { STATISTICS_INTERVAL_SECONDS, type StorageModel } from '../model/model.ts'
import { namespacesOf } from '../resources/namespaces.ts'
import type { ResourceRequest } from '../resources/request.ts'
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

function vdcSeries({ model }: ResourceRequest): FieldSeries[] {
  const nodes = model.pools.flatMap((pool) => pool.nodes)
  const amountsUntil = createAmounts(model, nodes, STATISTICS_INTERVAL_SECONDS)
  return rowsOf(model).flatMap(([measurement, tags, fields]) =>
    Object.entries(fields).map(([_field, value]) =>
      systemSeries(
        { _field, _measurement: `cq_performance_${measurement}`, ...tags },
        (start) => value(amountsUntil(start + STATISTICS_INTERVAL_SECONDS)),
        { type: 'double' },
      ),
    ),
  )
}

/** Amounts of a window as a rate per second. */
const perSecond = (amount: Amount, part = 1): Amount => {
  return (amounts) => (amount(amounts) * part) / STATISTICS_INTERVAL_SECONDS
}
const transactionFields = (succeeded: Amount, failed: Amount, part = 1) => {
  return {
    succeed_request_counter: perSecond(succeeded, part),
    failed_request_counter: perSecond(failed, part),
  }
}
const errorFields = (head = '', part = 1) => {
  return {
    user_errors: perSecond(errorsIn('User', head), part),
    system_errors: perSecond(errorsIn('System', head), part),
  }
}

/** Reads and writes fail alike, transactions of namespaces are in proportion to their data, latencies exponential. */
function rowsOf(model: StorageModel): VdcRow[] {
  const all = amountOf('readCount', 'writeCount')
  const methodRow = (method: string, count: Amount): VdcRow => {
    const failed: Amount = (amounts) => (failedIn(amounts) * count(amounts)) / Math.max(1, all(amounts))
    return [
      'transaction_method',
      { method },
      transactionFields((amounts) => count(amounts) - failed(amounts), failed),
    ]
  }
  const latencyRow = (direction: 'read' | 'write'): VdcRow => {
    const mean = latencyIn(direction)
    const quantiles = Object.entries(QUANTILES).map(([name, part]) => {
      return [name, (amounts: Amounts) => -Math.log(1 - part) * mean(amounts)]
    })
    return ['latency', { id: LATENCY_IDS[direction] }, Object.fromEntries(quantiles)]
  }
  const namespaces = namespacesOf(model).slice(0, MAX_NAMESPACES)
  return [
    ['transaction', {}, transactionFields(succeededIn, failedIn)],
    methodRow('READ', amountOf('readCount')),
    methodRow('WRITE', amountOf('writeCount')),
    ...namespaces.flatMap(({ name: namespace, part }): VdcRow[] => [
      ['transaction_ns', { namespace }, transactionFields(succeededIn, failedIn, part)],
      ['error_ns', { namespace }, errorFields('', part)],
    ]),
    ['error', {}, errorFields()],
    ...['S3', 'ATMOS'].map((head): VdcRow => ['error_head', { head }, errorFields(head)]),
    [
      'throughput',
      {},
      {
        total_read_requests_size: perSecond(bytesIn('readSize')),
        total_write_requests_size: perSecond(bytesIn('writeSize')),
      },
    ],
    latencyRow('read'),
    latencyRow('write'),
  ]
}
