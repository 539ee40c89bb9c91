import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { createExposition, type Exposition, type Form } from '../metrics/exposition.ts'
import type { Part } from '../metrics/lines.ts'
import { MS_PER_SECOND } from '../time_units.ts'

/** A form that was not requested for this time is no longer prepared. Scrape intervals are shorter. */
const FORM_KEPT_MS = 10 * 60 * MS_PER_SECOND
/** Changes of large fleets may follow one another without a pause. */
const LONGEST_WAIT_MS = 5 * MS_PER_SECOND

/**
 * Makes the expositions that scrapes receive, one at a time: changes while one is made are in the next one. It begins when
 * there was no change for as long as the last one took to make, because the changes of many nodes come one after the other,
 * and their exposition takes 0.3 s to compress.
 * @param observer receives the number of series of every new exposition, and why one could not be made
 * @param nowMs monotonic clock in milliseconds, by which forms are kept
 */
export function createPublisher(
  parts: () => readonly Part[],
  observer: {
    readonly made: (series: number) => void
    readonly failed?: ((failure: unknown) => void) | undefined
  },
  nowMs: () => number = () => performance.now(),
) {
  /** When each form was requested last. */
  const requestedMs = new Map<Form, number>()
  const onRequest = (form: Form): void => void requestedMs.set(form, nowMs())
  let exposition = createExposition([], onRequest)
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let changes = 0
  /** What the last exposition took to make. */
  let lastMs = 0

  async function make(): Promise<void> {
    const beganMs = performance.now()
    const made = createExposition(parts(), onRequest)
    for (const [form, ms] of requestedMs) if (nowMs() - ms < FORM_KEPT_MS) await made.prepare(form)
    exposition = made
    observer.made(made.series)
    lastMs = performance.now() - beganMs
  }

  async function quiet(): Promise<void> {
    const latestMs = performance.now() + LONGEST_WAIT_MS
    let seen: number
    do {
      seen = changes
      await setTimeout(Math.min(lastMs, LONGEST_WAIT_MS))
    } while (changes > seen && performance.now() < latestMs)
  }

  /** The next exposition begins after the one before it is ready or has failed. */
  async function begin(): Promise<void> {
    await (running?.catch(() => undefined) ?? nextTurn())
    if (lastMs >= 1) await quiet()
    next = undefined
    running = make().finally(() => {
      running = undefined
    })
    running.catch((failure: unknown) => observer.failed?.(failure))
    return running
  }

  return {
    /** The newest exposition whose forms are ready; a scrape never waits for the next one. */
    exposition: (): Exposition => exposition,
    /** Resolves when the exposition shows the parts as they are now, or later ones; rejects when no exposition can be made. */
    publish(): Promise<void> {
      changes += 1
      next ??= begin()
      // Not every caller awaits it.
      next.catch(() => undefined)
      return next
    },
  }
}
