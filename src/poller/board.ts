import { isDeepStrictEqual } from 'node:util'
import type { Labels } from '../config/config.ts'
import type { Part } from '../metrics/exposition.ts'
import { createPage, type Page, warm } from '../metrics/page.ts'
import { onlyCounters, statePart } from './state_samples.ts'
import { newSystem, type SystemState } from './system_state.ts'

/** The current state of all systems, and the page that shows it. */
export interface Board {
  /** The newest page whose forms are ready; a scrape never waits for the next one. */
  page(): Page
  systems(): readonly SystemState[]
  system(name: string): SystemState | undefined
  /**
   * Replaces the state of a system, if it is still configured. Resolves when the page shows it; rejects when the
   * change throws, and then nothing is changed, or when no page can be made of it.
   * @param change a pure function of the state as it is at that moment
   */
  update(name: string, change: (system: SystemState) => SystemState): Promise<void>
  /** Keeps exactly these systems, in this order. */
  show(systems: readonly ConfiguredSystem[], options?: ShowOptions): Promise<void>
}

export interface ConfiguredSystem {
  readonly name: string
  readonly labels?: Labels
}

export interface ShowOptions {
  /** Names of systems of which nothing is known, whatever was known under the name. */
  readonly fresh?: ReadonlySet<string>
  /** Whether pages have the values of the systems, besides the counters of the exporter; true by default. */
  readonly hasValues?: boolean
}

/** Receives what the board shows. */
export interface BoardObserver {
  /** The state of a system was replaced. */
  changed(system: SystemState): void
  /** Of all systems, only what is known of these is still true. */
  kept(names: readonly string[]): void
}

/** @param onPage called with the number of series of every new page */
export function createBoard(onPage: (series: number) => void, observer?: BoardObserver): Board {
  let systems: ReadonlyMap<string, SystemState> = new Map()
  let showsValues = true
  let page = createPage([])
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  /** One page at a time: what changes while one is being made waits for the one after it, all of it together. */
  function publish(): Promise<void> {
    // A page that could not be made must not keep the next one from being made.
    next ??= (running?.catch(ignore) ?? new Promise<void>((resolve) => setImmediate(resolve))).then(() => {
      running = swap().finally(() => {
        running = undefined
      })
      next = undefined
      return running
    })
    return next
  }

  async function swap(): Promise<void> {
    const made = createPage([...systems.values()].flatMap(showsValues ? systemParts : counterParts))
    await warm(made, page.requestedForms)
    page = made
    onPage(made.series)
  }

  return {
    page: () => page,
    systems: () => [...systems.values()],
    system: (name) => systems.get(name),
    async update(name, change) {
      const before = systems.get(name)
      if (before === undefined) return
      const next = change(before)
      systems = new Map(systems).set(name, next)
      observer?.changed(next)
      await publish()
    },
    show(next, { fresh = new Set(), hasValues = true } = {}) {
      const known = (name: string) => (fresh.has(name) ? undefined : systems.get(name))
      const shown = (list: readonly ConfiguredSystem[]) => list.map(({ name, labels = {} }) => [name, labels])
      const isSame = isDeepStrictEqual(shown(next), shown([...systems.values()])) && hasValues === showsValues
      // Most reloads change no system, and a new page of many nodes takes 100 ms to compress.
      if (fresh.size === 0 && isSame) return Promise.resolve()
      systems = new Map(
        next.map(({ name, labels = {} }) => [name, { ...(known(name) ?? newSystem(name)), labels }]),
      )
      showsValues = hasValues
      observer?.kept(next.map(({ name }) => name).filter((name) => !fresh.has(name)))
      return publish()
    },
  }
}

/** What a system contributes to a page. */
export function systemParts(system: SystemState): Part[] {
  const pools = [...system.pools.values()].flatMap(({ feedPart, forecastPart }) => [feedPart, forecastPart])
  return [...pools, statePart(system), system.rejections.part]
}

function counterParts(system: SystemState): Part[] {
  return systemParts(system).map(onlyCounters)
}

function ignore(): void {
  // The caller that requested the page received the failure.
}
