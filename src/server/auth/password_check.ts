import { createHmac, randomBytes } from 'node:crypto'
import PQueue from 'p-queue'
import { BoundedMap } from '../../values/bounded_map.ts'

/** Credentials sent by a client, and the hash to compare them with. */
export interface Claim {
  readonly user: string
  readonly password: string
  readonly hash: string
  /** Whether the user exists. Otherwise the hash is a decoy and the claim is always wrong. */
  readonly isKnown: boolean
}

/** Whether the password is right; undefined if it was not compared, because too many wait or the signal was aborted. */
type Result = Promise<boolean | undefined>

/** Resolves to undefined soon after the signal was aborted. */
export type Compare = (password: string, hash: string, signal: AbortSignal) => Result

/** Running and waiting comparisons. One takes 50 to 100 ms at the usual cost, so the last one waits 1 to 2 s. */
const QUEUE_LENGTH = 16
const REMEMBERED_RESULTS = 100

/**
 * A bcrypt comparison is expensive by design: results are remembered, equal claims share one comparison, and only one
 * comparison runs at a time. Failures are remembered too, because a scraper with a wrong password repeats it at every
 * scrape. They are kept apart from successes, so that guesses do not evict successes.
 * @param signal ends the running comparison and drops the waiting ones
 */
export function createPasswordCheck(compare: Compare, signal: AbortSignal) {
  const digest = createDigest()
  const successes = new BoundedMap<string, true>(REMEMBERED_RESULTS)
  const failures = new BoundedMap<string, true>(REMEMBERED_RESULTS)
  const running = new Map<string, Result>()
  const queue = new PQueue({ concurrency: 1 })
  const keyOf = ({ user, password, hash }: Claim) => digest(user, password, hash)
  return {
    /** The remembered result of the claim, or the pending one of an equal claim; undefined if there is none. */
    recall(claim: Claim): boolean | Result | undefined {
      const key = keyOf(claim)
      if (successes.get(key)) return true
      return failures.get(key) ? false : running.get(key)
    },
    compare(claim: Claim): Result {
      const key = keyOf(claim)
      if (queue.size + queue.pending >= QUEUE_LENGTH) return Promise.resolve(undefined)
      const result = queue
        .add(async () => {
          const isEqual = signal.aborted ? undefined : await compare(claim.password, claim.hash, signal)
          if (isEqual === undefined) return undefined
          const isRight = isEqual && claim.isKnown
          ;(isRight ? successes : failures).set(key, true)
          return isRight
        })
        .finally(() => running.delete(key))
      running.set(key, result)
      return result
    },
  }
}

/** Without the password. The length before each part keeps parts that contain a separator apart. */
function createDigest() {
  const secret = randomBytes(32)
  return (...parts: readonly string[]): string => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) {
      const bytes = Buffer.from(part, 'utf8')
      hmac.update(`${bytes.length}:`).update(bytes)
    }
    return hmac.digest('base64')
  }
}
