import type { ServerResponse } from 'node:http'

/** What a response sends, and keeps in memory. */
export interface Shown {
  /** Expositions of one group replace each other: /metrics, or the probes of one system. */
  readonly group: string
  readonly exposition: object
}

/** A scrape in flight, until its response has ended. */
export interface ScrapeSlot {
  /** The client has accepted data. */
  progress(): void
}

export type ScrapeSlots = ReturnType<typeof createScrapeSlots>

/** node_exporter has 40, but smaller expositions: here each stalled scrape takes up to 4 MB of socket buffers. */
export const DEFAULT_MAX_REQUESTS = 20
/** Without progress for so long, a response may be closed in favour of a new scrape. */
const STALLED_MS = 250
/** Expositions of a group that responses still send, besides the newest one. Each may have several megabytes. */
const OLD_EXPOSITIONS = 3

interface Scrape {
  readonly response: ServerResponse
  readonly shown: Shown
  progressAt: number
}

/**
 * Limits the scrapes in flight, and the expositions that they keep in memory. When all slots are in use, a new scrape closes
 * the response that has made no progress for the longest time, if that is longer than a quarter of a second.
 * @param maxRequests scrapes in flight; 0: unlimited
 * @param now monotonic clock in milliseconds
 */
export function createScrapeSlots(maxRequests: number, now: () => number) {
  /** In the order of their start, and so of their expositions. */
  const scrapes = new Set<Scrape>()
  const close = (scrape: Scrape) => {
    scrapes.delete(scrape)
    scrape.response.destroy()
  }
  const makeRoom = (): boolean => {
    if (maxRequests === 0 || scrapes.size < maxRequests) return true
    const [slowest] = [...scrapes].sort((a, b) => a.progressAt - b.progressAt)
    if (slowest === undefined || now() - slowest.progressAt < STALLED_MS) return false
    close(slowest)
    return true
  }
  const closeOldExposition = (group: string) => {
    const ofGroup = [...scrapes].filter(({ shown }) => shown.group === group)
    const expositions = [...new Set(ofGroup.map(({ shown }) => shown.exposition))]
    if (expositions.length - 1 <= OLD_EXPOSITIONS) return
    for (const scrape of ofGroup) if (scrape.shown.exposition === expositions[0]) close(scrape)
  }
  return {
    maxRequests,
    /**
     * Takes a slot until the response closes; undefined if all slots are in use. The response must not be closed already.
     * @param shown with the newest exposition of all calls with its group
     */
    take(response: ServerResponse, shown: Shown): ScrapeSlot | undefined {
      if (!makeRoom()) return undefined
      const scrape = { response, shown, progressAt: now() }
      scrapes.add(scrape)
      response.once('close', () => scrapes.delete(scrape))
      closeOldExposition(shown.group)
      return {
        progress() {
          scrape.progressAt = now()
        },
      }
    },
  }
}
