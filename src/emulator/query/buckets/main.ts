import { SECONDS_PER_DAY } from '../../../time_units.ts'
import { nodeId } from '../../feed/node.ts'
import { PURPOSES, type Purpose } from '../../model/disk_io.ts'
import {
  type CounterGroup,
  DISK_IO,
  ERROR_CODES,
  FIRST_CATEGORY,
  FIRST_CODE,
  LATENCY,
  THROUGHPUT,
  TRANSACTIONS,
} from '../points/counter_groups.ts'
import { LATENCY_BOUNDS } from '../points/latency_histogram.ts'
import { type Bucket, type FieldSeries, type NodeField, nodeSeries, type Source } from '../points/series.ts'

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
  series: mainSeries,
}

const FIELDS: readonly NodeField[] = [
  counter('transactions', 'succeed_request_counter', TRANSACTIONS, 0),
  rare(counter('transactions', 'failed_request_counter', TRANSACTIONS, 1)),
  counter('throughput', 'total_read_requests_size', THROUGHPUT, 0),
  counter('throughput', 'total_write_requests_size', THROUGHPUT, 1),
  rare(counter('error', 'user_errors', TRANSACTIONS, FIRST_CATEGORY)),
  rare(counter('error', 'system_errors', TRANSACTIONS, FIRST_CATEGORY + 1)),
  ...ERROR_CODES.map((code, index) =>
    rare(counter('error_code', 'error_counter', TRANSACTIONS, FIRST_CODE + index, { code })),
  ),
  ...['ttfb_read', 'ttlb_write'].flatMap((id, operation) =>
    LATENCY_BOUNDS.map((bound, index) =>
      counter('latency', bound, LATENCY, operation * LATENCY_BOUNDS.length + index, { id }),
    ),
  ),
  ...IO_SERVICES.flatMap((service) => [...ioFields(service, 'read', 0), ...ioFields(service, 'write', 1)]),
]

function* mainSeries(source: Source): Iterable<FieldSeries> {
  for (const node of source.model.pools.flatMap((pool) => pool.nodes)) {
    const id = nodeId(source.profile, node)
    for (const field of FIELDS) yield nodeSeries(source, node, id, field)
  }
}

function counter(
  measurement: string,
  field: string,
  group: CounterGroup,
  slot: number,
  tags: Readonly<Record<string, string>> = {},
): NodeField {
  return {
    measurement: `${INTERNAL}_${measurement}`,
    field,
    tags: { ...DATA_HEAD, ...tags },
    type: 'long',
    clock: group.clock,
    value: ({ counters }, { node }, k) => counters(group, node, k)[slot],
  }
}

/** A series of errors exists from the first error on. */
function rare(row: NodeField): NodeField {
  return { ...row, value: (...point) => row.value(...point) || undefined }
}

function ioFields(
  { service, process, part }: (typeof IO_SERVICES)[number],
  direction: 'read' | 'write',
  index: number,
): NodeField[] {
  return PURPOSES.map((purpose, slot) => ({
    measurement: `${service}_IO_Statistics_data_${direction}`,
    field: `${direction}_${IO_FIELDS[purpose]}`,
    tags: { process, tag: DATA_HEAD.tag },
    type: 'long',
    clock: DISK_IO.clock,
    value: ({ counters }, { node }, k) =>
      (counters(DISK_IO, node, k)[index * PURPOSES.length + slot] ?? 0) * part,
  }))
}
