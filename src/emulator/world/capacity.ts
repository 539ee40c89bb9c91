import { isDown, type Moment } from './moment.ts'
import { mix, unit, wander } from './random.ts'
import type { Node } from './topology.ts'

/** Space of one node in bytes. Always allocated + free + reserved = total, and L1 + L2 = the whole. */
export interface Space {
  readonly total: number
  readonly allocated: number
  readonly free: number
  readonly reserved: number
}

const SECONDS_PER_DAY = 86_400
/** A node fills for years and is then emptied within weeks, when data is moved to newer nodes. */
const CYCLE_SECONDS = 900 * SECONDS_PER_DAY
const FILLING_PART = 0.96
/** Shares of usable space at the beginning and at the end of the long part of the cycle. */
const LEVELS = { grows: { from: 0.4, to: 0.72 }, shrinks: { from: 0.62, to: 0.44 } } as const
const SPREAD = 0.06
const EMPTIEST = 0.2
/** Small enough to leave the trend of a week alone. */
const NOISE = 0.0002
const NOISE_SECONDS = 6 * 3_600
/** A tenth of usable space is held back. Only a node filled further than nine tenths eats into its reserve. */
const RESERVED_PARTS = 10
const HIGHEST_USED = 0.985
const ALLOCATED_L1 = 0.62
const FREE_L1 = 0.55

/** The space of a node; total usable space counts Good disks alone. */
export function spaceOf(moment: Moment): Space {
  const total = goodDisks(moment) * moment.node.diskBytes
  const allocated = Math.floor(total * usedShare(moment))
  const reserved = Math.min(total / RESERVED_PARTS, total - allocated)
  return { total, allocated, reserved, free: total - allocated - reserved }
}

/** Free space as it is served: the history counts the reserve as free, the current value does not. */
export function servedFree(moment: Moment): number {
  const space = spaceOf(moment)
  return moment.form === 'historical' ? space.free + space.reserved : space.free
}

/** Splits space into its two levels; the parts add up to the whole. */
export function levelsOf(kind: 'allocated' | 'free', bytes: number): { L1: number; L2: number } {
  const L1 = Math.floor(bytes * (kind === 'allocated' ? ALLOCATED_L1 : FREE_L1))
  return { L1, L2: bytes - L1 }
}

/** Space that this node takes out of service: all of it when it is down, else that of its failed disks. */
export function offlineSpace(moment: Moment): number {
  const disks = isDown(moment) ? moment.node.disks : moment.node.disks - goodDisks(moment)
  return disks * moment.node.diskBytes
}

export function goodDisks({ node, effects }: Moment): number {
  return node.disks - effects.badDisks - effects.disksInMaintenance - effects.disksToReplace
}

function usedShare(moment: Moment): number {
  const { node, t, effects, scenarioDay } = moment
  const level =
    effects.filling === undefined
      ? cycle(node, t)
      : effects.filling.used + (effects.filling.perDay * (t - scenarioDay)) / SECONDS_PER_DAY
  const noise = NOISE * wander(mix(node.key, 11), t, NOISE_SECONDS)
  return Math.min(HIGHEST_USED, Math.max(EMPTIEST, level) + noise)
}

function cycle(node: Node, t: number): number {
  const place = (((t / CYCLE_SECONDS + node.phase) % 1) + 1) % 1
  const filled = place < FILLING_PART ? place / FILLING_PART : (1 - place) / (1 - FILLING_PART)
  const spread = SPREAD * (unit(node.key, 12) - 0.5)
  const { from, to } = LEVELS[node.trend]
  return from + spread + (to - from) * filled
}
