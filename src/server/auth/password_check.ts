import { createHmac, randomBytes } from 'node:crypto'
import { createBoundedMap } from './bounded_map.ts'

/** What a client claims, and the hash to hold it against. */
export interface Claim {
  readonly user: string
  readonly password: string
  readonly hash: string
  /** There is such a user; otherwise the hash is a decoy, and the claim is wrong whatever comes of it. */
  readonly isKnown: boolean
}

export interface PasswordCheck {
  /** What is known of a claim, or is being found out for somebody else already. */
  recall(claim: Claim): boolean | Promise<boolean> | undefined
  /** Finds out; undefined when too many claims wait already. */
  compare(claim: Claim): Promise<boolean> | undefined
}

export type Compare = (password: string, hash: string) => Promise<boolean>

/** Comparisons that run or wait. One takes some 50 to 100 ms at the usual cost: the last waits a second or two. */
const QUEUE_LENGTH = 16
const REMEMBERED_RESULTS = 100

/**
 * Comparing with a bcrypt hash is dear by design: results are remembered, equal claims share one comparison, and only
 * one comparison runs at a time. Good and bad results are kept apart: a bad one is remembered too, because a scraper
 * with a wrong password repeats it at every scrape, but the guesses of a stranger must not push a good one out.
 */
export function createPasswordCheck(compare: Compare): PasswordCheck {
  const digest = createDigest()
  const good = createBoundedMap<string, true>(REMEMBERED_RESULTS)
  const bad = createBoundedMap<string, true>(REMEMBERED_RESULTS)
  const running = new Map<string, Promise<boolean>>()
  const inTurn = createQueue(QUEUE_LENGTH)
  const keyOf = ({ user, password, hash }: Claim) => digest(user, password, hash)
  return {
    recall(claim) {
      const key = keyOf(claim)
      if (good.get(key)) return true
      return bad.get(key) ? false : running.get(key)
    },
    compare(claim) {
      const key = keyOf(claim)
      const result = inTurn(async () => {
        const isEqual = await compare(claim.password, claim.hash)
        const isRight = isEqual && claim.isKnown
        ;(isRight ? good : bad).set(key, true)
        return isRight
      })?.finally(() => running.delete(key))
      if (result !== undefined) running.set(key, result)
      return result
    },
  }
}

/**
 * A key under which a result can be remembered without remembering the password. Each part goes in with its length:
 * joined by a sign alone, parts that contain the sign could be cut elsewhere, and one user pass for another.
 */
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

/** Runs a task after the tasks before it; undefined when the queue is full. */
type Queue = <T>(task: () => Promise<T>) => Promise<T> | undefined

/** @param capacity of running and waiting tasks together */
function createQueue(capacity: number): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let pending = 0
  return (task) => {
    if (pending >= capacity) return undefined
    pending += 1
    const result = last.then(task).finally(() => {
      pending -= 1
    })
    // The next task runs even if this one fails.
    last = result.catch(() => undefined)
    return result
  }
}
