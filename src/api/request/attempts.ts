import { backoffMs } from '../../values/backoff.ts'
import { ApiError, isAnswer } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'
import { type Cooldown, createCooldown } from '../http/cooldown.ts'
import { pause, withDeadline } from '../http/deadline.ts'
import { withTimeoutReason } from '../http/failures.ts'

const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 500
/** With less time left, another attempt would only replace the failure by a timeout. */
const LEAST_TIME_MS = 1000

/** Sends to one base URL within the signal. */
export type Send<T> = (baseUrl: string, signal: AbortSignal) => Promise<T>

/** Bounds of all attempts together. */
export interface AttemptBounds {
  readonly signal: AbortSignal
  /** On the clock of `performance.now()`, in milliseconds. */
  readonly deadline: number
  /** Reasons after which nothing is sent again, to any node: the request may have had its effect. */
  readonly lastReasons?: readonly Reason[]
  /** Whether one attempt may take all of the time: for requests that may take long, such as queries. */
  readonly isLong?: boolean
}

/** Retry and fail-over among the base URLs of one system. */
export interface Attempts {
  /**
   * At most three attempts within the deadline, each at the next base URL that is not cooling down, or at the one
   * whose cooldown ends first.
   * @throws {ApiError} the failure of the last attempt
   */
  run<T>(send: Send<T>, bounds: AttemptBounds): Promise<T>
  /** The base URLs in the order of the configuration. */
  nodes(): readonly NodeState[]
}

/** One base URL, and the milliseconds for which others are preferred, because it failed. */
export interface NodeState {
  readonly baseUrl: string
  readonly cooldownMs: number
}

/** @param now monotonic clock of the cooldowns, in milliseconds */
export function createAttempts(baseUrls: readonly string[], now?: () => number): Attempts {
  const nodes = baseUrls.map((baseUrl) => ({ baseUrl, cooldown: createCooldown(now) }))
  return {
    run: (send, bounds) => run(nodes, send, bounds),
    nodes: () => nodes.map(({ baseUrl, cooldown }) => ({ baseUrl, cooldownMs: cooldown.remainingMs() })),
  }
}

async function run<T>(
  nodes: readonly Node[],
  send: Send<T>,
  { signal, deadline, lastReasons = [], isLong = false }: AttemptBounds,
): Promise<T> {
  const tried = new Set<Node>()
  for (let count = 1; ; count += 1) {
    const node = nextNode(nodes, tried)
    tried.add(node)
    const hasOther = count < MAX_ATTEMPTS && tried.size < nodes.length
    const leftMs = deadline - performance.now()
    try {
      // Half of the time left while there is another node to try, so that one that hangs does not take it all.
      return await attempt(node, send, signal, hasOther && !isLong ? leftMs / 2 : leftMs)
    } catch (cause) {
      const failure = nodes.length > 1 ? withNode(cause, node) : cause
      const waitMs = pauseBefore(count, failure, hasOther, lastReasons)
      if (performance.now() + waitMs + LEAST_TIME_MS > deadline || signal.aborted) throw failure
      await pause(waitMs, signal)
    }
  }
}

async function attempt<T>(node: Node, send: Send<T>, signal: AbortSignal, ms: number): Promise<T> {
  try {
    const result = await withDeadline(signal, ms, (ofAttempt) => send(node.baseUrl, ofAttempt))
    node.cooldown.reset()
    return result
  } catch (cause) {
    const failure = withTimeoutReason(cause)
    if (failure instanceof ApiError) noteFailure(node, failure)
    throw failure
  }
}

function noteFailure({ cooldown }: Node, failure: ApiError): void {
  if (REASONS[failure.reason].origin === 'node') cooldown.begin()
  else if (isAnswer(failure)) cooldown.reset()
}

/** The failure with the node, if that played a part in it. */
function withNode(failure: unknown, { baseUrl }: Node): unknown {
  if (!(failure instanceof ApiError)) return failure
  const isOfNode = REASONS[failure.reason].origin === 'node' || isAnswer(failure)
  return isOfNode ? failure.of(new URL(baseUrl).host) : failure
}

interface Node {
  readonly baseUrl: string
  readonly cooldown: Cooldown
}

/** Of the nodes not yet tried, or of all, the first in order among those with the shortest cooldown left. */
function nextNode(nodes: readonly Node[], tried: ReadonlySet<Node>): Node {
  const left = nodes.filter((node) => !tried.has(node))
  const candidates = left.length > 0 ? left : nodes
  const [first] = candidates.toSorted((a, b) => a.cooldown.remainingMs() - b.cooldown.remainingMs())
  if (first === undefined) throw new RangeError('a system has at least one base URL')
  return first
}

/** Milliseconds to wait before the next attempt; infinite when there is none. */
function pauseBefore(
  count: number,
  failure: unknown,
  hasOther: boolean,
  lastReasons: readonly Reason[],
): number {
  if (!(failure instanceof ApiError) || failure.body?.retryable === false) return Number.POSITIVE_INFINITY
  if (count >= MAX_ATTEMPTS || lastReasons.includes(failure.reason)) return Number.POSITIVE_INFINITY
  const { origin, retry } = REASONS[failure.reason]
  if (origin === 'node' && hasOther) return 0
  if (!retry) return Number.POSITIVE_INFINITY
  const growingMs = backoffMs(count, FIRST_PAUSE_MS) * (0.5 + Math.random() / 2)
  return Math.max(growingMs, failure.retryAfterMs ?? 0)
}
