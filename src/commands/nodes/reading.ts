import { createClient, type SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { FeedReading } from '../../api/feed/feed.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import type { PoolRef } from '../../api/feed/pools.ts'
import type { Config, SystemConfig } from '../../config/config.ts'
import { silentLog } from '../../log.ts'

/** What was read of one pool. */
export interface PoolRead<Reading> {
  readonly id: string
  /** From the feed, otherwise from the list of pools. */
  readonly name: string | undefined
  readonly reading: Reading
  /** Time of the response: seconds since the epoch, local clock. */
  readonly readAt: number
  /** Clock of the system minus local clock. */
  readonly skewSeconds: number
}

export type PoolFeed = PoolRead<FeedReading>
/** A reading with the nodes of one pool. */
export type NamedNodes = Parameters<typeof poolNameIn>[0]

/** The pools of one system that were read, and the error messages of the others. */
export interface SystemRead<Reading> {
  readonly pools: readonly PoolRead<Reading>[]
  readonly failures: readonly string[]
}

interface ReadingOptions<Reading> {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'limits' | 'poll'>
  readonly signal: AbortSignal
  readonly onPool: (pool: string) => void
  readonly read: (client: SystemClient, poolId: string, signal: AbortSignal) => Promise<Reading>
}

/** Reads every pool of a system once and logs out. Failures of single pools are reported in the result. */
export async function readSystem<Reading extends NamedNodes>({
  system,
  config,
  signal,
  onPool,
  read,
}: ReadingOptions<Reading>): Promise<SystemRead<Reading>> {
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

  async function readPool({ id, name }: PoolRef): Promise<PoolRead<Reading>> {
    onPool(name ?? id)
    const reading = await read(client, id, signal)
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
