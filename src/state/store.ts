import { isDeepStrictEqual } from 'node:util'
import type { Part } from '../metrics/lines.ts'
import { createPublisher } from './publisher.ts'
import { onlyCounters, systemPart } from './samples.ts'
import { newSystem, type SystemState } from './state.ts'

/** The current state of all systems, and the exposition that shows it. */
export type StateStore = ReturnType<typeof createStateStore>

export type Change = (system: SystemState) => SystemState

/** What the configuration says of a system. */
export type ConfiguredSystem = Pick<SystemState, 'name' | 'pollIntervalSeconds' | 'isOnlyProbed'> &
  Partial<Pick<SystemState, 'labels'>>

/** Receives what the store shows. */
export interface StateObserver {
  /** The state of a system was replaced. */
  changed(system: SystemState): void
  /** What is known of all other systems is to be forgotten. */
  kept(names: readonly string[]): void
  /** No exposition could be made of the state. */
  failed?(failure: unknown): void
}

/** @param onExposition called with the number of series of every new exposition */
export function createStateStore(onExposition: (series: number) => void, observer?: StateObserver) {
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
      onExposition(series)
    },
    failed: observer?.failed,
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
    observer?.changed(next)
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
    observer?.kept(next.map(({ name }) => name).filter((name) => !fresh.has(name)))
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

/** Made once for each state: most changes are of one system of many. */
const partsByState = new WeakMap<SystemState, Part[]>()

function shownPartsOf(system: SystemState): Part[] {
  const parts = partsByState.get(system) ?? shownParts(system)
  partsByState.set(system, parts)
  return parts
}

/**
 * What `/metrics` has of a system. Of one that is polled only when it is probed only what this exporter counted: behind
 * one address each exporter has read other systems last, so the values would have different ages.
 */
function shownParts(system: SystemState): Part[] {
  const parts = systemParts(system)
  return system.isOnlyProbed ? parts.map(onlyCounters) : parts
}

/** What a system contributes to an exposition. */
export function systemParts(system: SystemState): Part[] {
  const parts: Part[] = []
  for (const { feedPart, forecastPart, statePart } of system.pools.values())
    parts.push(feedPart, forecastPart, statePart)
  for (const { part } of system.resources.values()) parts.push(part)
  parts.push(systemPart(system), system.rejections.part)
  return parts
}
