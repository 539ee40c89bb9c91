import { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import { withDeadline } from '../http/deadline.ts'
import { exchangeFailure } from '../http/failures.ts'

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
  /** What the try before ended with: a refusal is repeated at that node alone, since nodes mostly share them. */
  readonly after?: unknown
}

type Send<T> = (baseUrl: string, signal: AbortSignal) => Promise<T>

/** Chooses among the base URLs of a system. */
export interface Endpoints {
  /**
   * Tries the base URLs in order, those that failed lately last, until one answers. While others are left, a node
   * gets half of the time that is left, so that one that hangs does not stand in for all.
   */
  attempt<T>(send: Send<T>, bounds: EndpointBounds): Promise<T>
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
  /** By failure: the node that refused, where nobody kept silent. */
  const refusers = new WeakMap<ApiError, string>()
  const restsUntil = (baseUrl: string) => resting.get(baseUrl)?.until ?? Number.NEGATIVE_INFINITY
  const rests = (baseUrl: string) => restsUntil(baseUrl) > now()

  /** Of those that rest, the one that failed first may be the first to be back. */
  function inOrder(): readonly string[] {
    const [tired, fresh] = [baseUrls.filter(rests), baseUrls.filter((baseUrl) => !rests(baseUrl))]
    return [...fresh, ...tired.toSorted((a, b) => restsUntil(a) - restsUntil(b))]
  }

  function orderAfter(failure: unknown): readonly string[] {
    const refuser = failure instanceof ApiError ? refusers.get(failure) : undefined
    return refuser === undefined ? inOrder() : [refuser]
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

  /** What became of one node: a result, or a failure. */
  async function outcomeAt<T>(
    baseUrl: string,
    send: Send<T>,
    signal: AbortSignal,
    shareMs: number | undefined,
  ) {
    let isTimeout = false
    const watched = async (ofNode: AbortSignal) => {
      try {
        return await send(baseUrl, ofNode)
      } catch (failure) {
        isTimeout = ofNode.aborted
        throw failure
      }
    }
    try {
      const result = await (shareMs === undefined
        ? send(baseUrl, signal)
        : withDeadline(signal, shareMs, watched))
      resting.delete(baseUrl)
      return { result }
    } catch (cause) {
      // Also what ends a wait for one's turn is a timeout of this node's time, and no fault of our own.
      const failure = isTimeout ? exchangeFailure(cause) : cause
      const mayHelp = goesOn(baseUrl, failure) && !signal.aborted
      return { baseUrl, failure: located(failure, baseUrl), goesOn: mayHelp, isTimeout }
    }
  }

  return {
    async attempt(send, { signal, deadline, after }) {
      const order = orderAfter(after)
      const tried: NodeFailure[] = []
      for (const [index, baseUrl] of order.entries()) {
        const shareMs = shareOf(deadline, order.length - index, tried)
        const outcome = await outcomeAt(baseUrl, send, signal, shareMs)
        if ('result' in outcome) return outcome.result
        tried.push(outcome)
        if (!outcome.goesOn || timeoutsIn(tried) === MAX_TIMEOUTS) break
      }
      const { failure, baseUrl } = mostTelling(tried)
      if (failure instanceof ApiError && tried.every(isAnswer)) refusers.set(failure, baseUrl)
      throw failure
    },
  }
}

interface NodeFailure {
  readonly baseUrl: string
  readonly failure: unknown
  /** Whether another node may do better. */
  readonly goesOn: boolean
  /** Whether its share of the time was over. */
  readonly isTimeout: boolean
}

/** Half of the time that is left, in milliseconds; undefined for the last one, which may have all of it. */
function shareOf(deadline: number, left: number, tried: readonly NodeFailure[]): number | undefined {
  const isLast = left === 1 || timeoutsIn(tried) === MAX_TIMEOUTS - 1
  return isLast ? undefined : (deadline - performance.now()) / 2
}

function timeoutsIn(tried: readonly NodeFailure[]): number {
  return tried.filter(({ isTimeout }) => isTimeout).length
}

function isAnswer({ failure }: NodeFailure): boolean {
  return failure instanceof ApiError && failure.status !== undefined
}

/** The one that is final; else whoever answered says more than whoever did not; else the last one. */
function mostTelling(tried: readonly NodeFailure[]): NodeFailure {
  const told = tried.find(({ goesOn }) => !goesOn) ?? tried.find(isAnswer) ?? tried.at(-1)
  if (told === undefined) throw new RangeError('a system has at least one base URL')
  return told
}
