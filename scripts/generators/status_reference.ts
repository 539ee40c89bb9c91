import type { Problem } from '../../src/status/states.ts'
import type { Status } from '../../src/status/status.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { pageWith } from '../markdown/page.ts'

/** docs/status.md with the tables of all members. */
export const statusPage = () =>
  pageWith('docs/status.md', { members: Object.entries(TYPES).map(typeSection).join('\n') })

const DISK_FIGURES = {
  disks: 'number of disks',
  disks_good: 'disks in good state',
  disks_bad: 'disks in bad state',
  disks_maintenance: 'disks in maintenance',
  disks_ready_to_replace: 'disks ready to be replaced',
}

type Members<T> = Readonly<Record<keyof T, string>>
type SystemStatus = Status['systems'][number]
type PoolStatus = SystemStatus['pools'][number]

const STATUS: Members<Status> = {
  version: 'version of the exporter',
  timestamp_seconds: 'time of the document',
  ready: 'whether every system was polled once, as `/-/ready`',
  state: 'the worst state of the systems',
  summary: 'the state in words',
  push: 'the push with OTLP, only if it is on: `endpoint`, `result` of the last push as in `sds_otlp_exports_total`, `error`, `remedy`, `last_success_timestamp_seconds`',
  problems: 'what needs attention, the worst first: see Problem',
  systems: 'in the order of the configuration: see System',
}

const PROBLEM: Members<Problem> = {
  severity: '`critical`, `warning` or `notice`: that of the alert; `notice` for `info`',
  system: 'name of the system',
  pool: 'name of the pool; null for a problem of the system',
  pool_id: 'id of the pool',
  text: 'what is wrong',
  summary: 'the same in a few words',
  remedy: 'what to do about it',
  alert: 'name of the [alert](alerts.md) with this condition; null if there is none',
  timestamp_seconds: 'when it was found, for failed requests',
}

const SYSTEM: Members<SystemStatus> = {
  name: 'name in the configuration',
  state:
    '`ok`, `starting` (not polled yet), `warning` (something needs attention) or `critical` (a critical problem, or the last poll of a pool, or the list of pools, failed)',
  summary: 'the state in words',
  up: 'whether the last request was answered, as `sds_system_up`',
  endpoints:
    'the base URLs, each with `url`, and `pause_seconds` for which others are preferred because it failed',
  login: 'see Login',
  polls: 'see Polls',
  requests: 'see Requests',
  flux_api: 'see Flux API',
  resources: 'what the system reports beyond its nodes: see Resource',
  clock_skew_seconds: 'clock of the system minus that of the exporter',
  tls_not_after_timestamp_seconds: 'end of the certificate of the system',
  software_versions: 'number of nodes by version of their software; empty if it is not known',
  discovery_error: 'why the list of pools could not be read: see Error',
  totals: 'sums over all pools: see Totals',
  pools: 'see Pool',
}

const LOGIN: Members<SystemStatus['login']> = {
  method: '`token`, `token_file` or `password`',
  state: '`unused`, `accepted` or `refused`',
  summary: 'the state in words',
}

const POLLS: Members<SystemStatus['polls']> = {
  schedule: 'the cron expression',
  interval_seconds: 'the longest time between two polls by the schedule; null without a schedule',
  stale_after_seconds: 'age at which values are dropped',
  last_timestamp_seconds: 'end of the last poll of any pool',
  next_timestamp_seconds: 'time of the next poll, without its random delay',
}

const REQUESTS: Members<SystemStatus['requests']> = {
  running: 'operations that run',
  waiting: 'operations that wait because of `limits.concurrency`',
  concurrency: '`limits.concurrency`',
  last_minute: 'requests that were sent in the last minute',
  per_second_limit: '`limits.requests_per_second`',
  pause_seconds: 'time for which nothing is sent, because the system keeps failing',
}

const QUERIES: Members<SystemStatus['flux_api']> = {
  state:
    '`off` (configured so), `not_needed` (the dashboard API has the values), `pending`, `ok`, `empty` (no current data) or `failing`',
  summary: 'the state in words',
  nodes: 'number of nodes in the last answers',
  error: 'of the last attempt, also if only some of its queries failed (`state` is `ok`): see Error',
}

const RESOURCE: Members<SystemStatus['resources'][number]> = {
  name: 'as the label `resource` of the metrics',
  description: 'what it is, in words',
  state:
    '`off`, `pending` (not read yet), `ok`, `partial` (a request of it failed, is not served, or is not allowed, while others were answered), `unavailable` (none is) or `failing`',
  summary: 'the state in words',
  schedule: 'cron expression; empty if it is not read',
  objects: 'number of objects that are exported',
  left_out: 'number of objects that a limit left out',
  last_success_timestamp_seconds: 'time of the last successful reading',
  error: 'why the last reading failed, or a request of it: see Error',
}

const ERROR: Members<NonNullable<PoolStatus['last_error']>> = {
  reason: 'one of the [reasons](reliability.md#reasons)',
  message: 'what happened',
  remedy: 'what to do about it',
  timestamp_seconds: 'when it happened',
}

const TOTALS: Members<PoolStatus['totals']> = {
  nodes: 'number of nodes',
  nodes_by_health: 'number of nodes by health status; `unknown` for nodes without one',
  ...DISK_FIGURES,
  disk_space_total_bytes: 'total disk space of the nodes that serve both values, as in the recorded rules',
  disk_space_allocated_bytes: 'allocated disk space of the same nodes',
  disk_space_allocated_ratio: 'allocated / total, 0 to 1',
}

const POOL: Members<PoolStatus> = {
  id: 'id, as the label `pool_id`',
  name: 'name, as the label `pool`',
  state: 'as for systems',
  summary: 'the state in words',
  last_poll: 'see Poll',
  last_success_timestamp_seconds: 'end of the last good poll',
  values_until_timestamp_seconds: 'when the values are dropped, unless a poll succeeds; null without values',
  last_error: 'of the last poll that failed, also if later ones succeeded: see Error',
  history_error:
    'of the last reading of the history for `/history`: see Error; null if it succeeded, or is not read',
  categories: 'see Category',
  attributes: 'see Attribute; empty without values',
  totals: 'sums over the nodes: see Totals',
  figures: 'see Values of a pool',
  nodes: 'the worst first: see Node',
}

const FIGURES: Members<PoolStatus['figures']> = {
  reads_per_second: 'reads a second',
  writes_per_second: 'writes a second',
  failed_transactions_ratio: 'failed / all transactions, 0 to 1, of the nodes whose successes are known',
  system_failed_transactions_ratio: 'the same for server errors only',
  read_latency_seconds:
    'mean time of a read; for a system that serves a histogram and no mean, its quantile 0.75 over the last 20 minutes, which is known from the second points on that the exporter reads',
  write_latency_seconds: 'the same of a write',
  forecast_seconds:
    'time until the target of the setting `forecast_target_percent` is reached, by the median forecast of the nodes, if at least half of them have one; of several histories the shortest; 0: it is reached',
  forecast_target_percent: 'the target of the forecast, in percent of the disk space',
}

const POLL: Members<NonNullable<PoolStatus['last_poll']>> = {
  timestamp_seconds: 'end of the poll',
  duration_seconds: 'duration of the poll',
  result: '`ok` or a [reason](reliability.md#reasons)',
}

const CATEGORY: Members<PoolStatus['categories'][number]> = {
  category: 'category of attributes',
  newest_sample_timestamp_seconds: 'by the clock of the system',
  newest_sample_age_seconds: 'corrected by the difference of the clocks',
}

const ATTRIBUTE: Members<PoolStatus['attributes'][number]> = {
  name: 'name in the storage system',
  category: 'null for identity and health',
  source: '`feed` or `query`; null: not served by this system',
  served: 'number of nodes with a value',
  absent: 'number of nodes without one',
  unreadable: 'number of nodes with a value that cannot be read',
}

const NODE: Members<PoolStatus['nodes'][number]> = {
  id: 'id of the node',
  name: 'name, as the label `node`',
  health: 'health status',
  severity:
    '`critical` (Bad), `warning` (NotAccessible, Suspect or an unknown status, bad disks, 90 % allocated), `notice` (Maintenance, other disks that are not good, 80 % allocated) or `ok`',
  rack: 'rack of the node; like `address` and `software_version` found by the id, or by the name if no other node has it',
  address: 'IP address for management of the node',
  software_version: 'version of the software on the node',
  ...DISK_FIGURES,
  disk_space_total_bytes: 'total disk space',
  disk_space_allocated_bytes: 'allocated disk space',
  disk_space_allocated_ratio: `${TOTALS.disk_space_allocated_ratio}; otherwise the percentage of the system`,
  cpu_utilization_ratio: 'CPU time in use, 0 to 1',
  memory_utilization_ratio: 'memory in use, 0 to 1',
  network_utilization_ratio: 'use of the network interfaces in the busier direction, 0 to 1',
  failed_transactions_ratio: 'failed / all transactions, 0 to 1',
  read_latency_seconds: 'mean time of a read',
  write_latency_seconds: 'mean time of a write',
  newest_sample_timestamp_seconds: 'by the clock of the system',
}

const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'The document': STATUS,
  Problem: PROBLEM,
  System: SYSTEM,
  Login: LOGIN,
  Polls: POLLS,
  Requests: REQUESTS,
  'Flux API': QUERIES,
  Resource: RESOURCE,
  Error: ERROR,
  Totals: TOTALS,
  Pool: POOL,
  'Values of a pool': FIGURES,
  Poll: POLL,
  Category: CATEGORY,
  Attribute: ATTRIBUTE,
  Node: NODE,
}

function typeSection([title, members]: [string, Readonly<Record<string, string>>]): string {
  const rows = Object.entries(members).map(([name, meaning]) => [code(name), meaning])
  return `## ${title}\n\n${markdownTable(['Member', 'Meaning'], rows)}`
}
