import type { Secret } from './values/secret.ts'

/** How the exporter proves who it is to one storage system. */
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

export interface SystemConfig {
  readonly name: string
  /** Origins, with a path where the interface is mounted below one; no trailing slash. Any of them answers. */
  readonly baseUrls: readonly string[]
  readonly auth: AuthConfig
  readonly tls: TlsConfig
  /** Ids of the pools to poll; undefined: ask the system. */
  readonly pools: readonly string[] | undefined
}

export interface PollConfig {
  readonly schedule: string
  readonly maxRandomDelayMs: number
  /** Bound of one request, repetitions included. */
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
}
