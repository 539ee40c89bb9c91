import { ApiError } from './errors.ts'
import type { Reason } from './reasons.ts'

/** Failures of one node, not of the system: another node may do better. */
const NODE_FAILURES: readonly Reason[] = ['connect', 'dns', 'tls', 'reset', 'unavailable']
/** How long a node that failed is left alone while others answer. */
const REST_MS = 60_000

/** Chooses among the base URLs of a system. */
export interface Endpoints {
  /** Tries the base URLs in order, those that failed lately last, until one answers. */
  attempt<T>(send: (baseUrl: string) => Promise<T>): Promise<T>
}

/** @param now milliseconds that only go forward */
export function createEndpoints(
  baseUrls: readonly string[],
  now: () => number = () => performance.now(),
): Endpoints {
  const restsUntil = new Map<string, number>()
  const rests = (baseUrl: string) => (restsUntil.get(baseUrl) ?? Number.NEGATIVE_INFINITY) > now()

  /** Whether another node may still help; remembers which one failed. */
  function goesOn(baseUrl: string, failure: unknown): boolean {
    const reason = failure instanceof ApiError ? failure.reason : undefined
    const nodeFailed = reason !== undefined && NODE_FAILURES.includes(reason)
    if (nodeFailed || reason === 'timeout') restsUntil.set(baseUrl, now() + REST_MS)
    // After a timeout there is no time left for another node; the next request will try it first.
    return nodeFailed
  }

  async function attempt<T>(send: (baseUrl: string) => Promise<T>): Promise<T> {
    const order = [...baseUrls.filter((url) => !rests(url)), ...baseUrls.filter(rests)]
    let last: unknown
    for (const baseUrl of order) {
      try {
        const result = await send(baseUrl)
        restsUntil.delete(baseUrl)
        return result
      } catch (failure) {
        if (!goesOn(baseUrl, failure)) throw failure
        last = failure
      }
    }
    throw last
  }

  return { attempt }
}
