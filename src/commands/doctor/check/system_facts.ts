import type { SystemClient } from '../../../api/client.ts'
import type { FeedReading } from '../../../api/feed/feed.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import type { Config, SystemConfig } from '../../../config/config.ts'
import { checksOf } from './check.ts'

/** What checks of one system work with. */
export interface SystemContext {
  readonly system: SystemConfig
  readonly config: Config
  readonly configFile: string
  /** Between two readings of a feed, so that the clocks have moved on. */
  readonly readingPauseMs: number
  readonly signal: AbortSignal
}

/** What checks of one system find out for each other. */
export interface SystemFacts {
  /** Base URLs whose host name has an address. */
  readonly resolved: readonly string[]
  /** Those that take a connection that the exporter would accept. */
  readonly connected: readonly string[]
  /** Those that answer with HTTP. */
  readonly answering: readonly string[]
  /** The system's clock minus ours, in seconds. */
  readonly skewSeconds: number
  /** A client that has proven who it is. To be closed. */
  readonly client: SystemClient
  /** The answer of whoami; null where the system does not tell. */
  readonly whoami: string | null
  readonly pools: readonly PoolRef[]
  readonly feeds: readonly RawFeed[]
}

/** The same answer twice: as it came, and as the exporter understands it. */
export interface RawFeed {
  readonly pool: PoolRef
  /** What the pool is called in the report. */
  readonly label: string
  readonly body: unknown
  readonly reading: FeedReading
  /** Milliseconds on the clock of `performance.now()`. */
  readonly readAt: number
}

/** Which check gives which fact. */
export const GIVEN_BY = {
  resolved: 'names',
  connected: 'connection',
  answering: 'http',
  skewSeconds: 'http',
  client: 'login',
  whoami: 'login',
  pools: 'pools',
  feeds: 'feed',
} as const satisfies Record<keyof SystemFacts, string>

export const systemCheck = checksOf<SystemContext, SystemFacts>()
