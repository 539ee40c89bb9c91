import type { Problem, StateInWords } from './states.ts'
import type { SystemStatus } from './system_status.ts'

/**
 * The status of the exporter at one moment: the document of `/api/v1/status`, and what the status page shows. A value
 * that is not known is null. Times are in seconds since the epoch. docs/status.md has the meaning of the members.
 */
export interface Status extends StateInWords {
  readonly version: string
  readonly timestamp_seconds: number
  readonly ready: boolean
  /** The push with OTLP; absent if it is off. */
  readonly push?: PushDocument
  readonly problems: readonly Problem[]
  readonly systems: readonly SystemStatus[]
}

export interface PushDocument {
  readonly endpoint: string
  /** How the last push ended; null: none has. */
  readonly result: string | null
  readonly error: string | null
  readonly remedy: string | null
  readonly last_success_timestamp_seconds: number | null
}

export type { SystemStatus }
export type LoginStatus = SystemStatus['login']
export type ScheduleStatus = SystemStatus['polls']
export type RequestStatus = SystemStatus['requests']
export type QueryStatus = SystemStatus['flux_api']
export type ResourceStatus = SystemStatus['resources'][number]
export type PoolStatus = SystemStatus['pools'][number]
export type PollStatus = NonNullable<PoolStatus['last_poll']>
export type ErrorStatus = NonNullable<PoolStatus['last_error']>
export type CategoryStatus = PoolStatus['categories'][number]
export type AttributeStatus = PoolStatus['attributes'][number]
export type NodeStatus = PoolStatus['nodes'][number]
export type TotalStatus = PoolStatus['totals']
