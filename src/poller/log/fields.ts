import type { Fields, Log } from '../../log.ts'
import type { SystemState } from '../../state/state.ts'

/** What the line of a poll has besides its outcome. */
export interface PollSize {
  readonly seconds: number
  /** Undefined for a failed poll. */
  readonly nodes: number | undefined
}

/** Writes the line of a poll. @param fields what was polled, and the outcome */
export function logPoll(log: Log, message: string, { seconds, nodes }: PollSize, fields: () => Fields): void {
  log.debug(message, () => ({ ...fields(), nodes, duration_ms: Math.round(seconds * 1000) }))
}

/** A pool as in the labels of its series, `pool` and `pool_id`; nothing without one. */
export function poolFields(
  system: SystemState | undefined,
  poolId: string | undefined,
): { pool?: string; pool_id?: string } {
  return poolId === undefined ? {} : { pool: labelOf(system, poolId), pool_id: poolId }
}

/** The name of a pool with its id; the id alone where the name is not known. */
export function poolText(system: SystemState | undefined, poolId: string, name?: string): string {
  const known = name ?? labelOf(system, poolId)
  return known === poolId ? poolId : `${known} (${poolId})`
}

function labelOf(system: SystemState | undefined, poolId: string): string {
  return system?.pools.get(poolId)?.label ?? poolId
}
