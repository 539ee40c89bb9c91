import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../../time_units.ts'
import { spaceOf } from '../capacity.ts'
import type { StorageModel } from '../model.ts'
import { keyOf, mix, smoothNoise } from '../random.ts'
import { nodesAt, type Pool } from '../topology.ts'
import { siteCount } from './sites.ts'

/** Reclaimed garbage grows since then: 1 January 2020. */
const BUILT = 1_577_836_800
export const PURPOSES = ['UserData', 'SystemMetadata', 'LocalProtection', 'GeoCopy', 'GeoCache'] as const
type Purpose = (typeof PURPOSES)[number]
/** Parts of the allocated space by purpose; the rest has no purpose that systems serve. */
const ONE_SITE: Record<Purpose, number> = {
  UserData: 0.62,
  SystemMetadata: 0.042,
  LocalProtection: 0.21,
  GeoCopy: 0,
  GeoCache: 0,
}
const MORE_SITES: typeof ONE_SITE = { ...ONE_SITE, UserData: 0.36, GeoCopy: 0.25, GeoCache: 0.01 }
/** Relative to the space of all disks. */
const GARBAGE = {
  User: { pending: 0.004, unreclaimable: 0.006, reclaimedPerDay: 0.0002 },
  System: { pending: 0.0003, unreclaimable: 0.0001, reclaimedPerDay: 0.00005 },
} as const
export const GARBAGE_KINDS = ['Pending', 'Unreclaimable', 'Reclaimed', 'TotalDetected'] as const
type GarbageKind = (typeof GARBAGE_KINDS)[number]
const SALTS = { User: 81, System: 82, coded: 83, recovery: 84, rate: 85 } as const
/** Rate of erasure coding, relative to the space of all disks. */
const EC_PER_SECOND = 1e-9
/** Time that the recovery of what is bad takes at the rate of the scenario. */
const RECOVERY_SECONDS = 6 * SECONDS_PER_HOUR

/** What a pool has besides the sums of its nodes: bytes, and MB/s of recovery. Sums over pools are those of the system. */
export type PoolFigures = ReturnType<typeof poolFigures>

export function poolFigures(model: StorageModel, pool: Pool, t: number) {
  const nodes = nodesAt(pool, t)
  const states = nodes.map((node) => model.stateOf(node, t, 'current'))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const allocated = sum(states.map((state) => spaceOf(state).allocated))
  const disks = sum(nodes.map((node) => node.disks * node.diskBytes))
  const recovery = sum(states.map(({ effects }) => effects.recovery))
  const parts = siteCount(model, t) > 1 ? MORE_SITES : ONE_SITE
  const key = keyOf(pool.uuid)
  const applicable = Math.floor(allocated * (parts.UserData + parts.LocalProtection))
  const uncoded = 0.012 * (1 + smoothNoise(mix(key, SALTS.coded), t, SECONDS_PER_DAY))
  return {
    ...purposesOf(allocated, parts),
    ...garbageOf(disks, key, t),
    recoveryBadChunksTotalSize: Math.floor(
      recovery *
        1e6 *
        RECOVERY_SECONDS *
        (1 + 0.2 * smoothNoise(mix(key, SALTS.recovery), t, SECONDS_PER_HOUR)),
    ),
    recoveryRate: recovery,
    chunksEcApplicableTotalSealSize: applicable,
    chunksEcCodedTotalSealSize: Math.floor(applicable * (1 - uncoded)),
    chunksEcRate: Math.floor(
      disks * EC_PER_SECOND * (1 + 0.5 * smoothNoise(mix(key, SALTS.rate), t, SECONDS_PER_HOUR)),
    ),
  }
}

function purposesOf(allocated: number, parts: Record<Purpose, number>) {
  const bytes = PURPOSES.map((purpose) => [
    `diskSpaceAllocated${purpose}`,
    Math.floor(allocated * parts[purpose]),
  ])
  return Object.fromEntries(bytes) as Record<`diskSpaceAllocated${Purpose}`, number>
}

/** Garbage in bytes: detected is the sum of the other kinds, combined that of both scopes. */
function garbageOf(disks: number, poolKey: number, t: number) {
  const days = Math.max(0, t - BUILT) / SECONDS_PER_DAY
  const scoped = (['User', 'System'] as const).map((scope) => {
    const { pending, unreclaimable, reclaimedPerDay } = GARBAGE[scope]
    const key = mix(poolKey, SALTS[scope])
    const [Pending, Unreclaimable, Reclaimed] = [
      Math.floor(disks * pending * (1 + 0.5 * smoothNoise(key, t, 6 * SECONDS_PER_HOUR))),
      Math.floor(disks * unreclaimable * (1 + 0.2 * smoothNoise(key, t, SECONDS_PER_DAY))),
      Math.floor(disks * reclaimedPerDay * days),
    ]
    return { Pending, Unreclaimable, Reclaimed, TotalDetected: Pending + Unreclaimable + Reclaimed }
  })
  const bytes = GARBAGE_KINDS.flatMap((kind) => {
    const [user = 0, system = 0] = scoped.map((parts) => parts[kind])
    return [
      [`gcUser${kind}`, user],
      [`gcSystem${kind}`, system],
      [`gcCombined${kind}`, user + system],
    ]
  })
  return Object.fromEntries(bytes) as Record<`gc${'User' | 'System' | 'Combined'}${GarbageKind}`, number>
}
