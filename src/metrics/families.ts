import {
  type BaseUnit,
  NODE_FAMILIES,
  NODE_LABELS,
  type NodeFamily,
  type NodeFamilyName,
  type NodeHistogramName,
  unitOf,
} from '../catalogue.ts'
import { RESOURCE_FAMILIES as RESOURCE_ROWS, type ResourceFamilyName } from '../system_catalogue.ts'

type FamilyType = 'gauge' | 'counter' | 'histogram'

/** A metric family with its labels in the order of the exposition. */
export interface Family<Name extends string = string, Type extends FamilyType = FamilyType> {
  readonly name: Name
  readonly help: string
  readonly type: Type
  readonly unit: BaseUnit
  readonly labels: readonly string[]
}

const POOL = ['system', 'pool', 'pool_id'] as const

export const FEED_FAMILIES: readonly Family[] = NODE_FAMILIES.map(feedFamily)

export function feedFamily({ name, help, type, unit, labels }: NodeFamily): Family {
  return { name, help, type: type ?? 'gauge', unit, labels: [...NODE_LABELS, ...labels] }
}

/** Families of the resources of a system, from the catalogue. */
export const RESOURCE_FAMILIES: readonly Family[] = RESOURCE_ROWS.map((row) => ({ ...row, type: 'gauge' }))

const familyWith =
  <const Type extends FamilyType>(type: Type, labels: readonly string[]) =>
  <Name extends string>(name: Name, help: string): Family<Name, Type> => ({
    name,
    help,
    type,
    unit: unitOf(name),
    labels,
  })

const poolGauge = familyWith('gauge', POOL)
const systemGauge = familyWith('gauge', ['system'])
const resourceGauge = familyWith('gauge', ['system', 'resource'])
const exporterGauge = familyWith('gauge', [])

/** State of pools and systems. Rendered with the feed, because it changes with each poll. */
export const STATE = {
  poolUp: poolGauge('sds_pool_up', '1 when the last poll of the pool succeeded, else 0.'),
  poolInfo: poolGauge('sds_pool_info', 'A pool that is polled: always 1.'),
  poolNodes: poolGauge('sds_pool_nodes', 'Nodes of the pool in the last successful poll.'),
  poolLastSuccess: poolGauge(
    'sds_pool_last_success_timestamp_seconds',
    'Time of the last successful poll, in seconds since the epoch.',
  ),
  poolPollDuration: poolGauge(
    'sds_pool_poll_duration_seconds',
    'Duration of the last poll, successful or failed.',
  ),
  poolAttributeNodes: familyWith('gauge', [...POOL, 'attribute', 'state', 'source'])(
    'sds_pool_attribute_nodes',
    'Nodes of the pool that serve an attribute (state served), lack it (absent) or serve a value that cannot be read (unreadable), with the source of the attribute: the dashboard API (feed) or the Flux API (query). Of the last two states only those that are not 0.',
  ),
  polls: familyWith('counter', [...POOL, 'result'])(
    'sds_pool_polls_total',
    'Polls of a pool, by result: ok, or the reason of the failure. A pool that was not listed has none: see sds_api_logins_total and sds_api_requests_total with operation pools.',
  ),
  queryUp: systemGauge(
    'sds_system_query_up',
    '1 when the last poll of the Flux API succeeded, also without data, else 0; absent if it is not polled.',
  ),
  systemInfo: systemGauge(
    'sds_system_info',
    'A configured system, with its labels in the configuration (labels) in addition: always 1.',
  ),
  pollInterval: systemGauge(
    'sds_system_poll_interval_seconds',
    'The longest time between two polls by the schedule of the system (poll.schedule); absent without a schedule.',
  ),
  systemUp: systemGauge(
    'sds_system_up',
    '1 when the system answered the last request sent to it, whatever the response, else 0. A refused login is a response: see sds_api_logins_total.',
  ),
  clockSkew: systemGauge(
    'sds_system_clock_skew_seconds',
    "The system's clock minus the exporter's, from the Date header of a response (resolution 1 s); 0 below 2 s.",
  ),
  tlsNotAfter: systemGauge(
    'sds_system_tls_not_after_timestamp_seconds',
    "End of validity of the system's TLS certificate, in seconds since the epoch.",
  ),
  resourceAvailable: resourceGauge(
    'sds_resource_available',
    '0 if the system does not serve the resource, or the account lacks the role; it is then requested every hour. Else 1, also while its requests fail. Absent before the first request.',
  ),
  resourceUp: resourceGauge(
    'sds_resource_up',
    '1 when all requests of the last reading of the resource succeeded, without those that the system does not serve, else 0; absent while the resource is not available.',
  ),
  resourceLastSuccess: resourceGauge(
    'sds_resource_last_success_timestamp_seconds',
    'Time of the last reading of the resource of which a request succeeded, in seconds since the epoch.',
  ),
  resourceObjects: familyWith('gauge', ['system', 'resource', 'state'])(
    'sds_resource_objects',
    'Objects of the last successful reading of the resource: exported, left_out by a limit or because they did not answer, or rejected, because they have no name or occur twice.',
  ),
  rejectedByReason: familyWith('counter', ['system', 'reason'])(
    'sds_api_rejected_values_by_reason_total',
    'Values of the dashboard API, of the Flux API or of resources that were not exported because they are not valid, of all attributes.',
  ),
  rejectedValues: familyWith('counter', ['system', 'attribute', 'reason'])(
    'sds_api_rejected_values_total',
    'As sds_api_rejected_values_by_reason_total, by attribute, name of the query or of the resource; a series begins with the first rejected value.',
  ),
} as const satisfies Record<string, Family>

/** Only in the responses of `/probe`. */
export const PROBE = {
  success: systemGauge(
    'sds_probe_success',
    'Only on /probe: 1 when every pool that was to be polled was read for this probe, else 0.',
  ),
} as const satisfies Record<string, Family>

/** Counters and gauges of the exporter itself, in the registry of prom-client. */
export const OWN = {
  queryPolls: familyWith('counter', ['system', 'result'])(
    'sds_query_polls_total',
    'Polls of the Flux API of a system, by result: ok, empty (no current data), or the reason of the failure.',
  ),
  unmatchedRows: familyWith('counter', ['system'])(
    'sds_query_unmatched_rows_total',
    'Rows of the Flux API that are joined to no node of a polled pool.',
  ),
  requests: familyWith('counter', ['system', 'operation', 'code'])(
    'sds_api_requests_total',
    'Requests sent to the system, by operation and code: the HTTP status, or the reason of the failure if there is no status.',
  ),
  requestDuration: familyWith('histogram', ['system', 'operation'])(
    'sds_api_request_duration_seconds',
    'Duration of the requests sent to the system, body included, by operation.',
  ),
  logins: familyWith('counter', ['system', 'result'])(
    'sds_api_logins_total',
    'Logins at the system, by result: ok, or the reason of the failure.',
  ),
  otlpExports: familyWith('counter', ['result'])(
    'sds_otlp_exports_total',
    'Pushes of all metrics with OTLP, by result: ok, partial (the receiver rejected samples), refused (an HTTP status that is not retried), unavailable (HTTP 429, 502, 503 or 504 until the timeout), timeout, connection, local (a file cannot be read), or skipped (the push before was not finished). Absent if otlp is off.',
  ),
  otlpLastSuccess: exporterGauge(
    'sds_otlp_last_success_timestamp_seconds',
    'Time of the last push that the receiver accepted as a whole, in seconds since the epoch; 0 before the first one. Absent if otlp is off.',
  ),
  buildInfo: familyWith('gauge', ['version', 'node_version'])(
    'sds_exporter_build_info',
    'Version of the exporter and of Node.js: always 1.',
  ),
  series: exporterGauge(
    'sds_exporter_series',
    "Series of nodes, pools and systems in the last exposition, without the exporter's own.",
  ),
  reloadSuccessful: exporterGauge(
    'sds_exporter_config_last_reload_successful',
    '1 when the last attempt to load the configuration succeeded, else 0.',
  ),
  reloadTime: exporterGauge(
    'sds_exporter_config_last_reload_success_timestamp_seconds',
    'Time of the last successful load of the configuration, in seconds since the epoch.',
  ),
} as const satisfies Record<string, Family>

/** The families of storage systems, in the order of the exposition. */
export const SYSTEM_FAMILIES: readonly Family[] = [
  ...FEED_FAMILIES,
  ...RESOURCE_FAMILIES,
  ...Object.values(STATE),
  ...Object.values(PROBE),
]

/** All families except prom-client's process and Node.js metrics. */
export const FAMILIES: readonly Family[] = [...SYSTEM_FAMILIES, ...Object.values(OWN)]

/** The name of the samples of a family; a histogram of a system has those of its buckets only. */
export function sampleName({ name, type }: { name: string; type?: FamilyType | undefined }): string {
  return type === 'histogram' ? `${name}_bucket` : name
}

/** Metrics of prom-client about the process that dashboards and rules use. */
export const PROCESS_METRICS = {
  process_start_time_seconds: 'gauge',
  process_cpu_seconds_total: 'counter',
  process_resident_memory_bytes: 'gauge',
  process_open_fds: 'gauge',
  process_max_fds: 'gauge',
  nodejs_heap_size_used_bytes: 'gauge',
  nodejs_eventloop_lag_p99_seconds: 'gauge',
} as const satisfies Record<string, FamilyType>

type OwnFamily =
  | (typeof STATE)[keyof typeof STATE]
  | (typeof PROBE)[keyof typeof PROBE]
  | (typeof OWN)[keyof typeof OWN]
type HistogramName = Extract<OwnFamily, { readonly type: 'histogram' }>['name']

/** Name of a series that the exporter exposes. A histogram has the series of its suffixes only. */
export type SeriesName =
  | Exclude<NodeFamilyName, NodeHistogramName>
  | `${NodeHistogramName}_bucket`
  | ResourceFamilyName
  | Exclude<OwnFamily['name'], HistogramName>
  | `${HistogramName}_${'bucket' | 'count' | 'sum'}`
  | keyof typeof PROCESS_METRICS
