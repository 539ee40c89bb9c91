import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { createExposition, type Exposition, type Form } from '../metrics/exposition.ts'
import type { Part } from '../metrics/lines.ts'
import { MS_PER_SECOND } from '../time_units.ts'
import { memoizeWeak } from '../values/cache.ts'
import { onlyCounters, systemPart } from './changes.ts'
import { newSystem, type SystemState } from './state.ts'

/** The current state of all systems, and the exposition that shows it. */
export type StateStore = ReturnType<typeof createStateStore>

export type Change = (system: SystemState) => SystemState

export type ConfiguredSystem = Pick<SystemState, 'name' | 'pollIntervalSeconds' | 'isOnlyProbed'> &
  Partial<Pick<SystemState, 'labels'>>

export interface StateObserver {
  /** The number of series of a new exposition. */
  published(series: number): void
  changed(system: SystemState): void
  /** What is known of all other systems is to be forgotten. */
  kept(names: readonly string[]): void
  /** No exposition could be made of the state. */
  failed(failure: unknown): void
}

export function createStateStore(observer: Partial<StateObserver> = {}) {
  let systems: ReadonlyMap<string, SystemState> = new Map()
  /** The states of the exposition that is being made, and of the newest one. */
  let made = systems
  let shown = systems
  const parts = () => {
    made = systems
    return [...systems.values()].flatMap(shownPartsOf)
  }
  const { exposition, publish } = createPublisher(parts, {
    made(series) {
      shown = made
      observer.published?.(series)
    },
    failed: observer.failed,
  })

  /**
   * Replaces the state of a system at once, if it is still configured. The promise resolves when the exposition shows the
   * state, and rejects when none can be made of it.
   * @param change a pure function of the state; when it throws, nothing is changed
   * @throws what the change throws
   */
  function update(name: string, change: Change): Promise<void> {
    const before = systems.get(name)
    const next = before && change(before)
    if (next === undefined || next === before) return Promise.resolve()
    systems = new Map(systems).set(name, next)
    observer.changed?.(next)
    return publish()
  }

  /**
   * Keeps exactly these systems, in this order.
   * @param fresh names of systems of which nothing is known, whatever was known under the name
   */
  async function show(
    next: readonly ConfiguredSystem[],
    fresh: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const known = (name: string) => (fresh.has(name) ? undefined : systems.get(name))
    const settings = (list: readonly ConfiguredSystem[]) => list.map((one) => [one.name, configured(one)])
    const isSame = isDeepStrictEqual(settings(next), settings([...systems.values()]))
    // Most reloads change no system, and a new exposition of many nodes takes 100 ms to compress.
    if (fresh.size === 0 && isSame) return
    systems = new Map(
      next.map((system) => {
        const { name } = system
        return [name, { ...(known(name) ?? newSystem(name)), ...configured(system) }]
      }),
    )
    observer.kept?.(next.map(({ name }) => name).filter((name) => !fresh.has(name)))
    return publish()
  }

  return {
    /** The newest exposition whose forms are ready; a scrape never waits for the next one. */
    exposition,
    systems: (): readonly SystemState[] => [...systems.values()],
    system: (name: string): SystemState | undefined => systems.get(name),
    /** The state that the exposition shows, which follows after at most some seconds. */
    shownSystem: (name: string): SystemState | undefined => shown.get(name),
    update,
    show,
  }
}

function configured({ labels = {}, pollIntervalSeconds, isOnlyProbed = false }: ConfiguredSystem) {
  return { labels, pollIntervalSeconds, isOnlyProbed }
}

/**
 * What `/metrics` has of a system, made once for each state: most changes are of one system of many. Of a system that is
 * only probed it has what this exporter counted: behind one address each exporter has read other systems last.
 */
const shownPartsOf = memoizeWeak((system: SystemState): Part[] => {
  const parts = systemParts(system)
  return system.isOnlyProbed ? parts.map(onlyCounters) : parts
})

export function systemParts(system: SystemState): Part[] {
  const parts: Part[] = []
  for (const { feedPart, forecastPart, statePart } of system.pools.values())
    parts.push(feedPart, forecastPart, statePart)
  for (const { part } of system.resources.values()) parts.push(part)
  parts.push(systemPart(system), system.rejections.part)
  return parts
}

/** A form that was not requested for this time is no longer prepared. Scrape intervals are shorter. */
const FORM_KEPT_MS = 10 * 60 * MS_PER_SECOND
/** Changes of large fleets may follow one another without a pause. */
const LONGEST_WAIT_MS = 5 * MS_PER_SECOND

/** Of the pause before it, because one that takes the series of nodes from the exposition before is made in a short time. */
const LEAST_SHARE = 0.9

/**
 * Makes the expositions that scrapes receive, one at a time: changes while one is made are in the next one. It begins when
 * there was no change for about as long as the last ones took to make, because the changes of many nodes come one after the
 * other, and their exposition takes 0.3 s to compress.
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
  const requestedMs = new Map<Form, number>()
  const onRequest = (form: Form): void => void requestedMs.set(form, nowMs())
  let exposition = createExposition([], onRequest)
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let changes = 0
  let pauseMs = 0

  async function make(): Promise<void> {
    const beganMs = performance.now()
    const made = createExposition(parts(), onRequest, exposition)
    for (const [form, ms] of requestedMs) if (nowMs() - ms < FORM_KEPT_MS) await made.prepare(form)
    exposition = made
    observer.made(made.series)
    pauseMs = Math.max(performance.now() - beganMs, pauseMs * LEAST_SHARE)
  }

  async function quiet(): Promise<void> {
    const latestMs = performance.now() + LONGEST_WAIT_MS
    let seen: number
    do {
      seen = changes
      await setTimeout(Math.min(pauseMs, LONGEST_WAIT_MS))
    } while (changes > seen && performance.now() < latestMs)
  }

  /** The next exposition begins after the one before it is ready or has failed. */
  async function begin(): Promise<void> {
    await (running?.catch(() => undefined) ?? nextTurn())
    if (pauseMs >= 1) await quiet()
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
