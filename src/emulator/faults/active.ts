import type { Pool } from '../model/topology.ts'
import { FEED_OPERATIONS, type Operation } from '../protocol/operations.ts'
import { SETTINGS, type Settings } from '../protocol/settings.ts'
import type { Effect } from './fault.ts'
import { type Fault, rowOf } from './table.ts'

export type Faults = ReturnType<typeof createFaults>

export interface ActiveFault {
  readonly effect: Effect
  readonly argument: string
  /** Time of activation, in epoch seconds. */
  readonly since: number
}

/** The names by which a target can select a pool. */
type NamedPool = Pick<Pool, 'id' | 'uuid' | 'name'>

/** @param now epoch seconds */
export function createFaults(
  pools: readonly NamedPool[],
  now: () => number,
  limitTokenUses: (uses: number | undefined) => void,
) {
  let active: (ActiveFault & { fault: Fault; left: number })[] = []
  const appliesTo = (fault: Fault, operation: Operation, pool: string) =>
    coversOperation(fault, operation) &&
    (fault.pool === undefined || findPool(pools, fault.pool) === findPool(pools, pool))
  return {
    set: (faults: readonly Fault[]): void => {
      for (const { pool } of faults) if (pool !== undefined) checkPool(pools, pool)
      active = faults.map((fault) => ({
        fault,
        effect: rowOf(fault.name).effect,
        argument: fault.argument,
        since: now(),
        left: fault.first ?? Number.POSITIVE_INFINITY,
      }))
      const tokens = active.find(({ effect }) => effect.stage === 'tokens')
      limitTokenUses(
        tokens?.effect.stage === 'tokens' ? tokens.effect.uses(tokens.fault.argument) : undefined,
      )
    },
    /** The faults that apply to this request; counts the request for `first=`. */
    take: (operation: Operation, pool: string): readonly ActiveFault[] => {
      const found = active.filter(({ fault, left }) => left > 0 && appliesTo(fault, operation, pool))
      for (const entry of found) entry.left--
      return found
    },
  }
}

/** Without an operation, faults of the feed do not apply to the list of pools, which has the same structure. */
function coversOperation(fault: Fault, operation: Operation): boolean {
  if (fault.operation !== undefined) return fault.operation === operation
  const row = rowOf(fault.name)
  if (row.operation !== undefined) return row.operation === operation
  return row.effect.stage !== 'feed' || FEED_OPERATIONS.includes(operation)
}

function findPool(pools: readonly NamedPool[], text: string): NamedPool | undefined {
  return pools.find(({ id, uuid, name }) => id === text || uuid === text || name === text)
}

function checkPool(pools: readonly NamedPool[], text: string): void {
  if (findPool(pools, text) !== undefined) return
  throw new RangeError(`There is no pool "${text}". Pools are: ${pools.map(({ name }) => name).join(', ')}.`)
}

/** The time of the samples of this response, or of its Date header; epoch seconds. */
export function shiftedTime(faults: readonly ActiveFault[], now: number, onlyDateHeader = false): number {
  return faults.reduce((time, { effect, argument, since }) => {
    if (effect.stage !== 'clock' || (onlyDateHeader && effect.dateHeader !== true)) return time
    return effect.now(time, since, argument)
  }, now)
}

/** How this request is answered. */
export function settingsOf(faults: readonly ActiveFault[]): Settings {
  const changes = faults.map(({ effect, argument }) =>
    effect.stage === 'settings' ? effect.settings(argument) : {},
  )
  return Object.assign({}, SETTINGS, ...changes)
}
