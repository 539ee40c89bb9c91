import { withDeadline } from './deadline.ts'
import { ApiError } from './errors.ts'
import { exchangeFailure } from './failures.ts'
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

/** A system that is slow as a whole must not be asked by the dozen: after so many timeouts it is not the node. */
const MAX_TIMEOUTS = 3

/** What all nodes have together. */
export interface EndpointBounds {
  readonly signal: AbortSignal
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly deadline: number
  /** How many nodes may be tried; all unless told. */
  readonly nodes?: number
}

/** Chooses among the base URLs of a system. */
export interface Endpoints {
  /**
   * Tries the base URLs in order, those that failed lately last, until one answers. While others are left, a node
   * gets half of the time that is left, so that one that hangs does not stand in for all.
   */
  attempt<T>(send: (baseUrl: string, signal: AbortSignal) => Promise<T>, bounds: EndpointBounds): Promise<T>
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
  const restsUntil = (baseUrl: string) => resting.get(baseUrl)?.until ?? Number.NEGATIVE_INFINITY
  const rests = (baseUrl: string) => restsUntil(baseUrl) > now()

  /** Of those that rest, the one that failed first may be the first to be back. */
  function inOrder(): readonly string[] {
    const [tired, fresh] = [baseUrls.filter(rests), baseUrls.filter((baseUrl) => !rests(baseUrl))]
    return [...fresh, ...tired.toSorted((a, b) => restsUntil(a) - restsUntil(b))]
  }

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

  /** What became of one node; `goesOn`: another one may do better. */
  async function outcomeAt<T>(baseUrl: string, send: () => Promise<T>) {
    try {
      const result = await send()
      resting.delete(baseUrl)
      return { result }
    } catch (failure) {
      const isTimeout = failure instanceof ApiError && failure.reason === 'timeout'
      return { failure: located(failure, baseUrl), goesOn: goesOn(baseUrl, failure), isTimeout }
    }
  }

  return {
    async attempt(send, { signal, deadline, nodes = baseUrls.length }) {
      const order = inOrder().slice(0, nodes)
      let timeouts = 0
      for (const [index, baseUrl] of order.entries()) {
        const isLast = index === order.length - 1 || timeouts === MAX_TIMEOUTS - 1
        const outcome = await outcomeAt(baseUrl, () =>
          isLast ? send(baseUrl, signal) : withHalf(signal, deadline, (ofNode) => send(baseUrl, ofNode)),
        )
        if ('result' in outcome) return outcome.result
        if (outcome.isTimeout) timeouts += 1
        const isOver = index === order.length - 1 || timeouts === MAX_TIMEOUTS || signal.aborted
        if (isOver || !outcome.goesOn) throw outcome.failure
      }
      throw new RangeError('a system has at least one base URL')
    },
  }
}

/** Half of the time that is left. */
async function withHalf<T>(
  signal: AbortSignal,
  deadline: number,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(signal, (deadline - performance.now()) / 2, send)
  } catch (failure) {
    // Also what ends a wait for one's turn is a timeout of this node's time, and no fault of our own.
    throw failure instanceof DOMException ? exchangeFailure(failure) : failure
  }
}
