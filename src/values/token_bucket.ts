import { BoundedMap } from './cache.ts'

/** `burst` tokens at most; one token is added every `intervalMs`. */
export interface BucketSize {
  readonly burst: number
  readonly intervalMs: number
}

export type TokenBucket = ReturnType<typeof createTokenBucket>

/** Buckets of one size by key. A new bucket is full. */
type TokenBuckets = (key: string) => TokenBucket

/** @param capacity of keys; beyond it the least recently used key is removed */
export function createTokenBuckets(size: BucketSize, capacity: number, now: () => number): TokenBuckets {
  const buckets = new BoundedMap<string, TokenBucket>(capacity)
  return (key) => {
    const bucket = buckets.get(key) ?? createTokenBucket(size, now)
    buckets.set(key, bucket)
    return bucket
  }
}

/** @param now monotonic clock in milliseconds */
export function createTokenBucket({ burst, intervalMs }: BucketSize, now: () => number) {
  /** Less than zero while reserved tokens are in the future. */
  let tokens = burst
  let filledAt = now()
  const fill = () => {
    const time = now()
    tokens = Math.min(burst, tokens + (time - filledAt) / intervalMs)
    filledAt = time
  }
  return {
    take(): boolean {
      fill()
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    /** Takes the next token, which may be in the future. @returns milliseconds until then */
    reserve(): number {
      fill()
      tokens -= 1
      return Math.max(0, -tokens * intervalMs)
    },
    /** Milliseconds until there is a token. */
    waitMs(): number {
      fill()
      return Math.max(0, (1 - tokens) * intervalMs)
    },
    /** Whether the last take() left less than one token. */
    isEmpty: (): boolean => tokens < 1,
    /** Returns a token that was taken. */
    giveBack(): void {
      tokens = Math.min(burst, tokens + 1)
    },
  }
}
