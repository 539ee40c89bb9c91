import type { ServerResponse } from 'node:http'
import { HttpError } from '../values/http_error.ts'

/** What a response sends, and holds in memory. */
export interface HeldExposition {
  /** Expositions of one group replace each other: /metrics, or the probes of one system. */
  readonly group: string
  readonly exposition: object
}

/** A response in flight, until it has ended. */
export interface ResponseSlot {
  /** The client has accepted data. */
  progress(): void
}

export type ResponseSlots = ReturnType<typeof createResponseSlots>

/** node_exporter has 40, but smaller expositions: here each stalled scrape takes up to 4 MB of socket buffers. */
export const DEFAULT_MAX_REQUESTS = 20
/** Without progress for so long, a response may be closed in favour of a new scrape. */
const STALLED_MS = 250
/** Expositions of a group that responses still send, besides the newest one. Each may have several megabytes. */
const OLD_EXPOSITIONS = 3

/** An error for a client that has left receives no response. */
const CLIENT_LEFT = new HttpError(499, 'the client has left')

/** The text of promhttp. */
export function limitReached(maxRequests: number): HttpError {
  return new HttpError(503, `Limit of concurrent requests reached (${maxRequests}), try again later.`)
}

interface InFlight {
  readonly response: ServerResponse
  readonly held: HeldExposition
  progressAt: number
}

/**
 * Limits the responses in flight, and the expositions that they keep in memory. When all slots are in use, a new one closes
 * that which has made no progress for the longest time, if that is longer than a quarter of a second.
 * @param maxRequests responses in flight; 0: unlimited
 * @param now monotonic clock in milliseconds
 */
export function createResponseSlots(maxRequests: number, now: () => number) {
  /** In the order of their start, and so of their expositions. */
  const inFlight = new Set<InFlight>()
  const close = (one: InFlight) => {
    inFlight.delete(one)
    one.response.destroy()
  }
  const makeRoom = (): boolean => {
    if (maxRequests === 0 || inFlight.size < maxRequests) return true
    const [slowest] = [...inFlight].sort((a, b) => a.progressAt - b.progressAt)
    if (slowest === undefined || now() - slowest.progressAt < STALLED_MS) return false
    close(slowest)
    return true
  }
  const closeOldExposition = (group: string) => {
    const ofGroup = [...inFlight].filter(({ held }) => held.group === group)
    const expositions = [...new Set(ofGroup.map(({ held }) => held.exposition))]
    if (expositions.length - 1 <= OLD_EXPOSITIONS) return
    for (const one of ofGroup) if (one.held.exposition === expositions[0]) close(one)
  }
  return {
    maxRequests,
    /**
     * Takes a slot until the response closes.
     * @param held with the newest exposition of all calls with its group
     * @throws {HttpError} 503 if all slots are in use; 499 if the client has left
     */
    take(response: ServerResponse, held: HeldExposition): ResponseSlot {
      if (response.destroyed) throw CLIENT_LEFT
      if (!makeRoom()) throw limitReached(maxRequests)
      const one = { response, held, progressAt: now() }
      inFlight.add(one)
      response.once('close', () => inFlight.delete(one))
      closeOldExposition(held.group)
      return {
        progress() {
          one.progressAt = now()
        },
      }
    },
  }
}

/** Aborts when the connection of the response closes. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.closed) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

/** Takes a unit of a key until the result is called; undefined if none is left. @param limit 0: unlimited */
export function createKeyedLimit(limit: number): (key: string) => (() => void) | undefined {
  const taken = new Map<string, number>()
  const add = (key: string, change: number) => {
    const count = (taken.get(key) ?? 0) + change
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }
  return (key) => {
    if (limit > 0 && (taken.get(key) ?? 0) >= limit) return undefined
    add(key, 1)
    return () => add(key, -1)
  }
}
