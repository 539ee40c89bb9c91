import type { AlertingConfig } from '../alerting/config.ts'
import type { FeedBandwidthUnit } from '../catalogue.ts'
import type { ResourceName } from '../system_catalogue.ts'
import type { Secret } from '../values/secret.ts'

/** Credentials for one storage system. */
export type AuthConfig =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token_file'; readonly file: string }
  | { readonly kind: 'login'; readonly username: string; readonly password: Secret }
  | { readonly kind: 'login_file'; readonly username: string; readonly file: string }

export interface TlsConfig {
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly serverName: string | undefined
  readonly insecureSkipVerify: boolean
}

/** Where performance figures are read: `auto` asks the query interface if the feed lacks them. */
export const PERFORMANCE_SOURCES = ['auto', 'feed', 'query'] as const
export type PerformanceSource = (typeof PERFORMANCE_SOURCES)[number]

export interface PerformanceConfig {
  readonly source: PerformanceSource
  /** Empty: with every poll. */
  readonly schedule: string
  /** The unit of the feed's attributes with the value tag `Bandwidth`. */
  readonly feedBandwidthUnit: FeedBandwidthUnit
  /** Regular expressions for whole names of network interfaces; empty: not set. */
  readonly interfaces: { readonly include: string; readonly exclude: string }
}

export interface ResourcesConfig {
  /** Empty: not read. */
  readonly schedules: Readonly<Record<ResourceName, string>>
  /** Regular expressions for whole names; empty: not set. At most `max` namespaces are exported. */
  readonly namespaces: { readonly include: string; readonly exclude: string; readonly max: number }
  /** Regular expressions for `NAMESPACE/BUCKET`. At most `top` buckets are exported. */
  readonly buckets: { readonly include: string; readonly exclude: string; readonly top: number }
}

/** Values by name of the label. */
export type Labels = Readonly<Record<string, string>>

export interface SystemConfig {
  readonly name: string
  /** Equivalent base URLs, with a path if the API is served below one; no trailing slash. */
  readonly baseUrls: readonly string[]
  readonly auth: AuthConfig
  readonly tls: TlsConfig
  /** Further labels of `sds_system_info`, and of the targets of `/sd`. */
  readonly labels: Labels
  /** Ids of the pools to poll; undefined: all pools that the system lists. */
  readonly pools: readonly string[] | undefined
  /** That of the system, with the values for all systems for keys that it does not set. */
  readonly performance: PerformanceConfig
  /** As `performance`. */
  readonly resources: ResourcesConfig
}

export interface PollConfig {
  /** Empty: systems are polled only when they are probed. */
  readonly schedule: string
  readonly maxRandomDelayMs: number
  /** Limit of one request, retries included. */
  readonly timeoutMs: number
  readonly staleAfterMs: number
}

export interface ForecastConfig {
  /** Empty: no forecasts. */
  readonly schedule: string
  readonly timeFrames: readonly string[]
  readonly targets: readonly number[]
  readonly braces: boolean
}

export interface LimitsConfig {
  readonly concurrency: number
  readonly requestsPerSecond: number
  readonly maxResponseBytes: number
}

export interface HistoryConfig {
  readonly enabled: boolean
  readonly windowMs: number
  readonly intervalMs: number
}

export interface Config {
  readonly systems: readonly SystemConfig[]
  readonly poll: PollConfig
  readonly forecast: ForecastConfig
  readonly providers: { readonly schedule: string }
  readonly discovery: { readonly schedule: string }
  readonly limits: LimitsConfig
  readonly history: HistoryConfig
  /** For the commands `rules` and `dashboards`; undefined: not set. */
  readonly alerting?: AlertingConfig | undefined
}
