import { SECONDS_PER_DAY } from '../../../time_units.ts'
import { type Amounts, amountOf, bytesIn, errorsIn, failedIn, succeededIn } from '../../model/activity.ts'
import { type Direction, ERROR_CODES, PURPOSES, type Purpose } from '../../model/traffic.ts'
import { latencySlot } from '../points/counters.ts'
import { mainClock } from '../points/grid.ts'
import { LATENCY_BOUNDS, LATENCY_IDS } from '../points/latency_histogram.ts'
import type { Bucket, NodeField } from '../points/series.ts'

const INTERNAL = 'statDataHead_performance_internal'
const DATA_HEAD = { process: 'statDataHead', tag: 'dashboard' } as const
const IO_FIELDS: Record<Purpose, string> = {
  Ec: 'ECTotal',
  Cc: 'CCTotal',
  Recovery: 'RECOVERTotal',
  Geo: 'GEOTotal',
  User: 'USERTotal',
  Xor: 'XORTotal',
}
/** Services with disk I/O, and their part of it. No source has the list of real systems. */
const IO_SERVICES = [
  { service: 'blob', process: 'blobsvc', part: 0.75 },
  { service: 'cm', process: 'cm', part: 0.25 },
] as const

/** `monitoring_main`: cumulative counters of every node since the start of its processes. */
export const MONITORING_MAIN: Bucket = {
  retentionSeconds: 60 * SECONDS_PER_DAY,
  delaySeconds: 30,
  fields: () => FIELDS,
}

const FIELDS: readonly NodeField[] = [
  counter('transactions', 'succeed_request_counter', succeededIn),
  rare(counter('transactions', 'failed_request_counter', failedIn)),
  counter('throughput', 'total_read_requests_size', bytesIn('readSize')),
  counter('throughput', 'total_write_requests_size', bytesIn('writeSize')),
  rare(counter('error', 'user_errors', errorsIn('User'))),
  rare(counter('error', 'system_errors', errorsIn('System'))),
  ...ERROR_CODES.map((code) => rare(counter('error_code', 'error_counter', amountOf(code), { code }))),
  ...LATENCY_IDS.flatMap((id, operation) =>
    LATENCY_BOUNDS.map((bound, index) => {
      const slot = latencySlot(operation, index)
      return counter('latency', bound, (totals) => totals[slot] ?? 0, { id })
    }),
  ),
  ...IO_SERVICES.flatMap((service) => [...ioFields(service, 'read'), ...ioFields(service, 'write')]),
]

function counter(
  measurement: string,
  field: string,
  read: (totals: Amounts) => number,
  tags: Readonly<Record<string, string>> = {},
): NodeField {
  return {
    measurement: `${INTERNAL}_${measurement}`,
    field,
    tags: { ...DATA_HEAD, ...tags },
    type: 'long',
    clock: mainClock,
    value: ({ counters }, { node }, k) => read(counters(node, k)),
  }
}

/** A series of errors exists from the first error on. */
function rare(row: NodeField): NodeField {
  return { ...row, value: (...point) => row.value(...point) || undefined }
}

function ioFields(
  { service, process, part }: (typeof IO_SERVICES)[number],
  direction: Direction,
): NodeField[] {
  return PURPOSES.map((purpose) => {
    const bytes = bytesIn(`${direction}${purpose}`)
    return {
      measurement: `${service}_IO_Statistics_data_${direction}`,
      field: `${direction}_${IO_FIELDS[purpose]}`,
      tags: { process, tag: DATA_HEAD.tag },
      type: 'long',
      clock: mainClock,
      value: ({ counters }, { node }, k) => bytes(counters(node, k)) * part,
    }
  })
}
