import { FEED_OPERATIONS, type Operation } from '../protocol/operations.ts'
import type { Effect } from './fault.ts'
import { type Fault, rowOf } from './table.ts'

/** The faults in force. */
export interface Faults {
  readonly set: (faults: readonly Fault[]) => void
  /** The faults that this request meets, each counted for `first=`. */
  readonly meet: (operation: Operation, pool: string) => readonly MetFault[]
}

export interface MetFault {
  readonly effect: Effect
  readonly argument: string
  /** Since when it is in force; epoch seconds. */
  readonly since: number
}

/** Names under which a pool may be meant. */
interface NamedPool {
  readonly id: string
  readonly uuid: string
  readonly name: string
}

export interface FaultsOptions {
  readonly pools: readonly NamedPool[]
  /** Epoch seconds. */
  readonly now: () => number
  readonly limitTokenUses: (uses: number | undefined) => void
}

export function createFaults({ pools, now, limitTokenUses }: FaultsOptions): Faults {
  let inForce: { fault: Fault; effect: Effect; since: number; left: number }[] = []
  const isAt = (fault: Fault, operation: Operation, pool: string) =>
    isAbout(fault, operation) &&
    (fault.pool === undefined || findPool(pools, fault.pool) === findPool(pools, pool))
  return {
    set: (faults) => {
      for (const { pool } of faults) if (pool !== undefined) checkPool(pools, pool)
      inForce = faults.map((fault) => ({
        fault,
        effect: rowOf(fault.name).effect,
        since: now(),
        left: fault.first ?? Number.POSITIVE_INFINITY,
      }))
      const tokens = inForce.find(({ effect }) => effect.stage === 'tokens')
      limitTokenUses(
        tokens?.effect.stage === 'tokens' ? tokens.effect.uses(tokens.fault.argument) : undefined,
      )
    },
    meet: (operation, pool) => {
      const met = inForce.filter(({ fault, left }) => left > 0 && isAt(fault, operation, pool))
      for (const entry of met) entry.left--
      return met.map(({ fault, effect, since }) => ({ effect, argument: fault.argument, since }))
    },
  }
}

/** Faults of the feed spare the list of pools, which has the same shape, unless it is named. */
function isAbout(fault: Fault, operation: Operation): boolean {
  if (fault.operation !== undefined) return fault.operation === operation
  return rowOf(fault.name).effect.stage !== 'feed' || FEED_OPERATIONS.includes(operation)
}

function findPool(pools: readonly NamedPool[], text: string): NamedPool | undefined {
  return pools.find(({ id, uuid, name }) => id === text || uuid === text || name === text)
}

function checkPool(pools: readonly NamedPool[], text: string): void {
  if (findPool(pools, text) !== undefined) return
  throw new RangeError(`There is no pool "${text}". Pools are: ${pools.map(({ name }) => name).join(', ')}.`)
}

/** The time that the samples of this answer are told by; epoch seconds. */
export function bentTime(met: readonly MetFault[], now: number, onlyDateHeader = false): number {
  return met.reduce((time, { effect, argument, since }) => {
    if (effect.stage !== 'clock' || (onlyDateHeader && effect.dateHeader !== true)) return time
    return effect.now(time, since, argument)
  }, now)
}
