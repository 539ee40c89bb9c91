import { setTimeout } from 'node:timers/promises'
import type { Part } from '../metrics/exposition.ts'
import { createPage, type Page } from '../metrics/page.ts'
import { nextTurn } from '../slices.ts'

/** Makes the pages that scrapes receive. */
export interface Publisher {
  /** The newest page whose forms are ready; a scrape never waits for the next one. */
  page(): Page
  /** Resolves when the page shows the parts as they are now, or later ones; rejects when no page can be made. */
  publish(): Promise<void>
}

/** @param onPage called with the number of series of every new page */
export function createPublisher(parts: () => readonly Part[], onPage: (series: number) => void): Publisher {
  let page = createPage([])
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  /** When the next page may begin, by `performance.now()`. */
  let earliestMs = 0

  async function make(): Promise<void> {
    const beganMs = performance.now()
    const made = createPage(parts())
    for (const form of page.requestedForms) await made.body(form)
    page = made
    onPage(made.series)
    const endMs = performance.now()
    earliestMs = endMs + (endMs - beganMs)
  }

  /** The next page begins when the one before it is ready or has failed. */
  async function begin(): Promise<void> {
    await (running?.catch(() => undefined) ?? nextTurn())
    const waitMs = earliestMs - performance.now()
    if (waitMs >= 1) await setTimeout(waitMs)
    next = undefined
    running = make().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    page: () => page,
    /**
     * One page at a time: changes while one is being made are shown by the one after it, all of them together. A page of
     * many nodes takes long, so that making pages takes at most half of the time.
     */
    publish() {
      next ??= begin()
      // Not every caller awaits it.
      next.catch(() => undefined)
      return next
    },
  }
}
