import { createBoundedMap } from './bounded_map.ts'

/** So many at once, and one more each interval: what is not used is kept up to `burst`. */
export interface BucketSize {
  readonly burst: number
  readonly intervalMs: number
}

export interface TokenBucket {
  /** Takes a token, or says that there is none. */
  take(): boolean
  /** Returns a token that turned out not to be owed. */
  giveBack(): void
}

/** Buckets of one size, each made full when its key is first asked for. */
export type TokenBuckets = (key: string) => TokenBucket

/** More keys than `capacity`, and the one that was asked for longest ago is forgotten. */
export function createTokenBuckets(size: BucketSize, capacity: number, now: () => number): TokenBuckets {
  const buckets = createBoundedMap<string, TokenBucket>(capacity)
  return (key) => {
    const bucket = buckets.get(key) ?? createTokenBucket(size, now)
    buckets.set(key, bucket)
    return bucket
  }
}

/** A full bucket. `now` is a clock in milliseconds that never goes back. */
export function createTokenBucket({ burst, intervalMs }: BucketSize, now: () => number): TokenBucket {
  let tokens = burst
  let filledAt = now()
  return {
    take() {
      const time = now()
      tokens = Math.min(burst, tokens + (time - filledAt) / intervalMs)
      filledAt = time
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    giveBack() {
      tokens = Math.min(burst, tokens + 1)
    },
  }
}
