import type { Pool } from '../model/topology.ts'
import { FEED_OPERATIONS, type Operation } from '../protocol/operations.ts'
import { SETTINGS, type Settings } from '../protocol/settings.ts'
import type { FaultRow } from './fault.ts'
import { type Fault, rowOf } from './table.ts'

export type Faults = ReturnType<typeof createFaults>

export interface ActiveFault {
  readonly row: FaultRow
  readonly argument: string
  /** Time of activation, in epoch seconds. */
  readonly since: number
}

export type NamedPool = Pick<Pool, 'id' | 'uuid' | 'name'>

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
        row: rowOf(fault.name),
        argument: fault.argument,
        since: now(),
        left: fault.first ?? Number.POSITIVE_INFINITY,
      }))
      const [uses] = active.flatMap(({ row, argument }) => row.tokenUses?.(argument) ?? [])
      limitTokenUses(uses)
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
  return row.feed === undefined || FEED_OPERATIONS.includes(operation)
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
  const clocks = faults.filter(({ row }) => !onlyDateHeader || row.changesDateHeader)
  return clocks.reduce((time, { row, argument, since }) => row.clock?.(time, since, argument) ?? time, now)
}

export function settingsOf(faults: readonly ActiveFault[]): Settings {
  const changes = faults.map(({ row, argument }) => row.settings?.(argument))
  return Object.assign({}, SETTINGS, ...changes)
}
