import type { ReceivedExchange, SystemClient } from '../../../api/client.ts'
import type { FeedReading } from '../../../api/feed/feed.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import type { Account } from '../../../api/providers/whoami.ts'
import type { PerformancePoll } from '../../../api/query/performance_reader.ts'
import type { Config, SystemConfig } from '../../../config/config.ts'
import { checksOf } from './check.ts'

export interface SystemContext {
  readonly system: SystemConfig
  readonly config: Config
  readonly configFile: string
  /** Receives the root certificates of the system; undefined: they are not saved. */
  readonly certificateFile?: string | undefined
  /** Pause between two reads of a feed. */
  readonly readingPauseMs: number
  readonly signal: AbortSignal
  /** Receives each exchange with the system; undefined: no report is written. */
  readonly received?: ((exchange: ReceivedExchange) => void) | undefined
}

/** Results of checks that later checks use. */
export interface SystemFacts {
  /** Base URLs whose host name resolves. */
  readonly resolved: readonly string[]
  /** Base URLs that accept connections with a valid certificate. */
  readonly connected: readonly string[]
  /** Base URLs with a working API. */
  readonly answering: readonly string[]
  /** Clock of the system minus local clock, in seconds. */
  readonly skewSeconds: number
  /** An authenticated client; must be closed. */
  readonly client: SystemClient
  /** The answer of whoami; null if the system does not support it. */
  readonly account: Account | null
  readonly pools: readonly PoolRef[]
  readonly feeds: readonly RawFeed[]
  /** Answers of the query interface from which the exporter fills attributes; null if it uses none. */
  readonly performance: RawPerformance | null
}

export interface RawFeed {
  readonly pool: PoolRef
  readonly label: string
  readonly body: unknown
  readonly reading: FeedReading
  /** Time of the response, in milliseconds of `performance.now()`. */
  readonly readAt: number
}

export interface RawPerformance extends PerformancePoll {
  /** Only the newest points were requested: rates need two polls. */
  readonly isWithoutRates: boolean
}

export const systemCheck = checksOf<SystemContext, SystemFacts>()
