import type { AlertingConfig } from '../alerting/config.ts'
import type { Labels } from '../catalogue.ts'
import type { Secret } from '../values/secret.ts'
import type { HistoryConfig, SectionsConfig } from './sections.ts'

export type { HistoryConfig }

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

/** A system, with what it inherits from `defaults` and from the sections of the file. */
export interface SystemConfig extends SectionsConfig {
  readonly name: string
  /** Equivalent base URLs, with a path if the API is served below one; no trailing slash. */
  readonly baseUrls: readonly string[]
  readonly auth: AuthConfig
  readonly tls: TlsConfig
  /** Further labels of `sds_system_info`, and of the targets of `/sd`. */
  readonly labels: Labels
  /** Ids of the pools to poll; undefined: all pools that the system lists. */
  readonly pools: readonly string[] | undefined
}

export type ForecastConfig = SystemConfig['forecast']
export type LimitsConfig = SystemConfig['limits']
export type ResourcesConfig = SystemConfig['resources']

export interface Config {
  readonly systems: readonly SystemConfig[]
  readonly history: HistoryConfig
  /** For the commands `rules` and `dashboards`; undefined: not set. */
  readonly alerting?: AlertingConfig | undefined
}
