import { createClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { FeedReading } from '../../api/feed/feed.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import type { PoolRef } from '../../api/feed/pools.ts'
import type { Config, SystemConfig } from '../../config/config.ts'
import { silentLog } from '../../log.ts'

/** The feed of one pool. */
export interface PoolFeed {
  readonly id: string
  /** From the feed, otherwise from the list of pools. */
  readonly name: string | undefined
  readonly reading: FeedReading
  /** Time of the response: seconds since the epoch, local clock. */
  readonly readAt: number
  /** Clock of the system minus local clock. */
  readonly skewSeconds: number
}

/** The pools of one system that were read, and the error messages of the others. */
export interface SystemFeed {
  readonly pools: readonly PoolFeed[]
  readonly failures: readonly string[]
}

interface ReadingOptions {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'limits' | 'poll'>
  readonly signal: AbortSignal
  readonly onPool: (pool: string) => void
}

/** Reads every pool of a system once and logs out. Failures of single pools are reported in the result. */
export async function readSystem({ system, config, signal, onPool }: ReadingOptions): Promise<SystemFeed> {
  let skewSeconds = 0
  const client = createClient({
    system,
    limits: config.limits,
    timeoutMs: config.poll.timeoutMs,
    observer: {
      exchanged: () => undefined,
      loggedIn: () => undefined,
      certificate: () => undefined,
      clockSkew: (seconds) => {
        skewSeconds = seconds
      },
    },
    log: silentLog,
  })

  async function readPool({ id, name }: PoolRef): Promise<PoolFeed> {
    onPool(name ?? id)
    const reading = await client.nodes(id, signal)
    return { id, name: poolNameIn(reading) ?? name, reading, readAt: Date.now() / 1000, skewSeconds }
  }

  try {
    const refs = system.pools?.map((id) => ({ id, name: undefined })) ?? (await client.pools(signal))
    const outcomes = await Promise.allSettled(refs.map(readPool))
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    return {
      pools: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
      failures: [...new Set(failed.map((failure) => messageOf(failure, signal)))],
    }
  } catch (failure) {
    return { pools: [], failures: [messageOf(failure, signal)] }
  } finally {
    await client.close()
  }
}

/** @throws anything but an ApiError, and the abort reason */
function messageOf(failure: unknown, signal: AbortSignal): string {
  if (failure instanceof ApiError) return failure.message
  throw signal.aborted ? signal.reason : failure
}
