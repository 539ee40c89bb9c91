import type { Reason } from '../api/errors/reasons.ts'
import type { Category } from '../catalogue.ts'
import type { ResourceName } from '../system_catalogue.ts'
import type { DiskFigures } from './figures/node_figures.ts'
import type { FigureStatus } from './figures/pool_figures.ts'

/**
 * The status of the exporter at one moment: the document of `/api/v1/status`, and what the status page shows. A value
 * that is not known is null. Times are in seconds since the epoch.
 */
export interface Status {
  readonly version: string
  readonly timestamp_seconds: number
  readonly ready: boolean
  readonly state: State
  readonly summary: string
  readonly problems: readonly Problem[]
  readonly systems: readonly SystemStatus[]
}

/** Worst last. */
export const STATES = ['ok', 'starting', 'warning', 'failing'] as const
/**
 * `ok`: polled, and nothing needs attention. `starting`: not polled yet. `warning`: polled, and something needs
 * attention. `failing`: the last poll failed.
 */
export type State = (typeof STATES)[number]

/** Something that needs attention. Nodes with the same problem are one problem of their pool. */
export interface Problem {
  /** Of an alert: `bad` if it is critical, `notice` if it is for information. */
  readonly severity: 'bad' | 'warning' | 'notice'
  readonly system: string
  readonly pool: string | null
  readonly pool_id: string | null
  readonly text: string
  readonly remedy: string | null
  /** Name of the alert with this condition; null if there is none. */
  readonly alert: string | null
  readonly timestamp_seconds: number | null
}

export interface SystemStatus {
  readonly name: string
  readonly state: State
  readonly summary: string
  readonly up: boolean | null
  readonly endpoints: readonly EndpointStatus[]
  readonly login: LoginStatus
  readonly polls: ScheduleStatus
  readonly requests: RequestStatus
  readonly query_interface: QueryStatus
  readonly resources: readonly ResourceStatus[]
  readonly clock_skew_seconds: number | null
  readonly tls_not_after_timestamp_seconds: number | null
  readonly authentication_providers: number | null
  /** Number of nodes by version; empty if it is not known. */
  readonly software_versions: Readonly<Record<string, number>>
  /** Why the list of pools could not be read. */
  readonly discovery_error: ErrorStatus | null
  readonly totals: TotalStatus
  readonly pools: readonly PoolStatus[]
}

/** One base URL. */
export interface EndpointStatus {
  readonly url: string
  /** For which others are preferred, because it failed. */
  readonly pause_seconds: number
}

export interface LoginStatus {
  readonly method: 'token' | 'token_file' | 'password'
  readonly username: string | null
  /** `unused`: nothing was sent yet. */
  readonly state: 'unused' | 'accepted' | 'refused'
  readonly summary: string
  readonly login_timestamp_seconds: number | null
  /** No login is sent before, because the last one was refused. */
  readonly next_login_timestamp_seconds: number | null
}

export interface ScheduleStatus {
  readonly schedule: string
  /** The longest time between two polls; null without a schedule. */
  readonly interval_seconds: number | null
  readonly stale_after_seconds: number
  readonly last_timestamp_seconds: number | null
  readonly next_timestamp_seconds: number | null
}

/** Use of the limits. */
export interface RequestStatus {
  readonly running: number
  readonly waiting: number
  readonly concurrency: number
  readonly last_minute: number
  readonly per_second_limit: number
  /** For which nothing is sent, because the system keeps failing. */
  readonly pause_seconds: number
}

export interface QueryStatus {
  /**
   * `off`: not configured. `not_needed`: the feed has the figures. `pending`: not polled yet. `empty`: no current data.
   */
  readonly state: 'off' | 'not_needed' | 'pending' | 'ok' | 'empty' | 'failing'
  readonly summary: string
  readonly nodes: number | null
  readonly next_timestamp_seconds: number | null
  readonly error: ErrorStatus | null
}

/** What a system says about itself beyond its nodes. */
export interface ResourceStatus {
  readonly name: ResourceName
  /** In words. */
  readonly description: string
  /**
   * `off`: not configured. `pending`: not read yet. `partial`: a request of it is not served or not allowed.
   * `unavailable`: none is.
   */
  readonly state: 'off' | 'pending' | 'ok' | 'partial' | 'unavailable' | 'failing'
  readonly summary: string
  readonly schedule: string
  /** Exported in the last reading. */
  readonly objects: number | null
  readonly left_out: number | null
  readonly last_success_timestamp_seconds: number | null
  readonly error: ErrorStatus | null
}

export interface ErrorStatus {
  readonly reason: Reason
  readonly message: string
  readonly remedy: string
  readonly timestamp_seconds: number
}

/** Sums over the nodes. Null: no node has it. */
export interface TotalStatus extends CapacityStatus {
  readonly nodes: number
  readonly nodes_by_health: Readonly<Record<string, number>>
}

export interface CapacityStatus extends DiskFigures {
  readonly disk_space_total_bytes: number | null
  readonly disk_space_allocated_bytes: number | null
  readonly disk_space_allocated_ratio: number | null
}

export interface PoolStatus {
  readonly id: string
  /** As the label `pool` of the metrics. */
  readonly name: string
  readonly state: State
  readonly summary: string
  readonly last_poll: PollStatus | null
  readonly next_poll_timestamp_seconds: number | null
  readonly last_success_timestamp_seconds: number | null
  /** When the values are withdrawn, if no poll succeeds before; null if there are none. */
  readonly values_until_timestamp_seconds: number | null
  /** Of the last poll that failed, also if later ones succeeded. */
  readonly last_error: ErrorStatus | null
  /** Of the last reading of the history; null if it succeeded, or is not read. */
  readonly history_error: ErrorStatus | null
  readonly categories: readonly CategoryStatus[]
  readonly attributes: readonly AttributeStatus[]
  readonly totals: TotalStatus
  readonly figures: FigureStatus
  /** The worst first. */
  readonly nodes: readonly NodeStatus[]
}

export interface PollStatus {
  readonly timestamp_seconds: number
  readonly duration_seconds: number
  readonly result: Reason | 'ok'
}

/** Where values come from. */
export type Source = 'feed' | 'query'

export interface CategoryStatus {
  readonly category: Category
  /** Empty: no node has a value. */
  readonly sources: readonly Source[]
  readonly newest_sample_timestamp_seconds: number | null
  /** Corrected by the clock skew. */
  readonly newest_sample_age_seconds: number | null
}

/** Number of nodes by state of one attribute. */
export interface AttributeStatus {
  readonly name: string
  /** Null for members that identify the node and its health. */
  readonly category: Category | null
  /** Null: no node has a value. */
  readonly source: Source | null
  readonly served: number
  readonly absent: number
  readonly unreadable: number
}

/** Worst last. `notice` is not a problem, for example a node in maintenance. */
export const SEVERITIES = ['ok', 'notice', 'warning', 'bad'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface NodeStatus extends CapacityStatus {
  readonly id: string
  /** As the label `node` of the metrics. */
  readonly name: string
  readonly health: string | null
  readonly severity: Severity
  readonly rack: string | null
  readonly address: string | null
  readonly software_version: string | null
  readonly cpu_utilization_ratio: number | null
  readonly memory_utilization_ratio: number | null
  /** Of the busier direction. */
  readonly network_utilization_ratio: number | null
  readonly newest_sample_timestamp_seconds: number | null
}

export function worstState(states: Iterable<State>): State {
  let worst: State = 'ok'
  for (const state of states) if (STATES.indexOf(state) > STATES.indexOf(worst)) worst = state
  return worst
}
