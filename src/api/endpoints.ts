import { withDeadline } from './deadline.ts'
import { ApiError } from './errors.ts'
import type { Reason } from './reasons.ts'

/** Failures that may be those of one node, or of what stands before it: another node may do better. */
const NODE_FAILURES: readonly Reason[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'redirect',
  'unavailable',
  'html',
]
/** Without a status these are about our own side: a login that waits for its turn, a file that cannot be read. */
const OWN_FAILURES: readonly Reason[] = ['auth', 'local']
/** Said by what stands before a node whose service does not answer; 500 is an answer of the system itself. */
const GATEWAY_STATUSES: readonly (number | undefined)[] = [502, 504]
/** How long a node that failed is left alone while others answer, at first and at the most. */
const FIRST_REST_MS = 60_000
const LONGEST_REST_MS = 600_000

/** The time that all nodes have together. */
export interface EndpointTime {
  readonly signal: AbortSignal
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly deadline: number
}

/** Chooses among the base URLs of a system. */
export interface Endpoints {
  /**
   * Tries the base URLs in order, those that failed lately last, until one answers. While others are left, a node
   * gets its share of the time only, so that one that hangs does not stand in for all.
   */
  attempt<T>(send: (baseUrl: string, signal: AbortSignal) => Promise<T>, time: EndpointTime): Promise<T>
}

function isOfNode({ reason, status, body }: ApiError): boolean {
  if (body?.retryable === false) return false
  return NODE_FAILURES.includes(reason) || GATEWAY_STATUSES.includes(status)
}

interface Rest {
  readonly until: number
  readonly ms: number
}

/** @param now milliseconds that only go forward */
export function createEndpoints(
  baseUrls: readonly string[],
  now: () => number = () => performance.now(),
): Endpoints {
  const resting = new Map<string, Rest>()
  const rests = (baseUrl: string) => (resting.get(baseUrl)?.until ?? Number.NEGATIVE_INFINITY) > now()

  /** Whether another node may still help; remembers which one failed, longer each time. */
  function goesOn(baseUrl: string, failure: unknown): boolean {
    if (!(failure instanceof ApiError) || !isOfNode(failure)) return false
    // Several requests may meet the same failure side by side.
    if (rests(baseUrl)) return true
    const ms = Math.min((resting.get(baseUrl)?.ms ?? FIRST_REST_MS / 2) * 2, LONGEST_REST_MS)
    resting.set(baseUrl, { until: now() + ms, ms })
    return true
  }

  /** The failure with the node that was asked, where it could have been another. */
  function located(failure: unknown, baseUrl: string): unknown {
    if (baseUrls.length === 1 || !(failure instanceof ApiError)) return failure
    const isOwn = failure.status === undefined && OWN_FAILURES.includes(failure.reason)
    return isOwn ? failure : failure.of(new URL(baseUrl).host)
  }

  return {
    async attempt(send, { signal, deadline }) {
      const order = [...baseUrls.filter((url) => !rests(url)), ...baseUrls.filter(rests)]
      let last: unknown
      for (const [index, baseUrl] of order.entries()) {
        const left = order.length - index
        const share = (deadline - performance.now()) / left
        try {
          const result = await (left === 1
            ? send(baseUrl, signal)
            : withDeadline(signal, share, (ofNode) => send(baseUrl, ofNode)))
          resting.delete(baseUrl)
          return result
        } catch (failure) {
          last = located(failure, baseUrl)
          if (!goesOn(baseUrl, failure) || signal.aborted) throw last
        }
      }
      throw last
    },
  }
}
