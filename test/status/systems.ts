import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import { withPoll, withPools } from '../../src/state/changes.ts'
import { type Failure, newSystem, type SystemState } from '../../src/state/state.ts'
import { T } from '../readings/setup.ts'

/** Members of a node of the feed, which is Good, with good disks and half of its space allocated, by default. */
export interface NodeOptions {
  readonly name: string
  readonly health?: string
  readonly disks?: number
  readonly badDisks?: number
  readonly allocatedRatio?: number
  /** Time of its samples, seconds since the epoch. */
  readonly t?: number
  readonly more?: Readonly<Record<string, unknown>>
}

const TOTAL_BYTES = 1000

export function feedOf(nodes: readonly NodeOptions[]): FeedReading {
  return decodeFeed({ _embedded: { _instances: nodes.map(nodeOf) } })
}

function nodeOf({ name, health = 'Good', disks = 10, badDisks = 0, t = T, ...options }: NodeOptions) {
  const { allocatedRatio = 0.5, more } = options
  return {
    id: `id-${name}`,
    displayName: name,
    healthStatus: health,
    numDisks: disks,
    numGoodDisks: disks - badDisks,
    numBadDisks: badDisks,
    numMaintenanceDisks: 0,
    numReadyToReplaceDisks: 0,
    diskSpaceTotalCurrent: [{ t, Space: TOTAL_BYTES }],
    diskSpaceAllocatedCurrent: [{ t, Space: TOTAL_BYTES * allocatedRatio }],
    ...more,
  }
}

/** A system whose pools `urn:NAME:` were polled at T with these nodes. */
export function polledSystem(
  name: string,
  pools: Readonly<Record<string, readonly NodeOptions[]>>,
): SystemState {
  const refs = Object.keys(pools).map((pool) => ({ id: `urn:${pool}:`, name: pool }))
  const listed = { ...withPools(newSystem(name), refs), tried: true, up: true }
  return Object.entries(pools).reduce<SystemState>(
    (system, [pool, nodes]) => withPoll(system, `urn:${pool}:`, goodPoll(T), feedOf(nodes)),
    listed,
  )
}

export function goodPoll(at: number) {
  return { at, seconds: 0.25, failure: undefined }
}

export function failedPoll(at: number, more: Partial<Failure> = {}) {
  const message = 'system a, nodes of pool urn:p: (/dashboard): connection refused'
  const failure: Failure = { reason: 'connect', message, remedy: 'check the firewall', at, ...more }
  return { at, seconds: 1, failure }
}
