import { spaceOf } from '../capacity.ts'
import type { StorageModel } from '../model.ts'
import { keyOf, mix, smoothNoise } from '../random.ts'
import { nodesAt, type Pool } from '../topology.ts'
import { siteCount } from './sites.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** Reclaimed garbage grows since then: 1 January 2020. */
const BUILT = 1_577_836_800
/** Parts of the allocated space by purpose; the rest has no purpose that systems serve. */
const ONE_SITE = { userData: 0.62, systemMetadata: 0.042, localProtection: 0.21, geoCopy: 0, geoCache: 0 }
const MORE_SITES = {
  userData: 0.36,
  systemMetadata: 0.042,
  localProtection: 0.21,
  geoCopy: 0.25,
  geoCache: 0.01,
}
/** Relative to the space of all disks. */
const GARBAGE = {
  user: { pending: 0.004, unreclaimable: 0.006, reclaimedPerDay: 0.0002 },
  system: { pending: 0.0003, unreclaimable: 0.0001, reclaimedPerDay: 0.00005 },
} as const
const SALTS = { user: 81, system: 82, coded: 83, recovery: 84, rate: 85 } as const
/** Rate of erasure coding, relative to the space of all disks. */
const EC_PER_SECOND = 1e-9
/** Time that the recovery of what is bad takes at the rate of the scenario. */
const RECOVERY_SECONDS = 6 * HOUR

/** What a pool has besides the sums of its nodes: bytes, and MB/s of recovery. Sums over pools are those of the system. */
export type PoolFigures = ReturnType<typeof poolFigures>

/** @param t epoch seconds */
export function poolFigures(model: StorageModel, pool: Pool, t: number) {
  const nodes = nodesAt(pool, t)
  const states = nodes.map((node) => model.stateOf(node, t, 'current'))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const allocated = sum(states.map((state) => spaceOf(state).allocated))
  const disks = sum(nodes.map((node) => node.disks * node.diskBytes))
  const recovery = sum(states.map(({ effects }) => effects.recovery))
  const parts = siteCount(model, t) > 1 ? MORE_SITES : ONE_SITE
  const key = keyOf(pool.uuid)
  const applicable = Math.floor(allocated * (parts.userData + parts.localProtection))
  const uncoded = 0.012 * (1 + smoothNoise(mix(key, SALTS.coded), t, DAY))
  return {
    diskSpaceAllocatedUserData: Math.floor(allocated * parts.userData),
    diskSpaceAllocatedSystemMetadata: Math.floor(allocated * parts.systemMetadata),
    diskSpaceAllocatedLocalProtection: Math.floor(allocated * parts.localProtection),
    diskSpaceAllocatedGeoCopy: Math.floor(allocated * parts.geoCopy),
    diskSpaceAllocatedGeoCache: Math.floor(allocated * parts.geoCache),
    user: garbageOf('user', disks, key, t),
    system: garbageOf('system', disks, key, t),
    recoveryBadChunksTotalSize: Math.floor(
      recovery * 1e6 * RECOVERY_SECONDS * (1 + 0.2 * smoothNoise(mix(key, SALTS.recovery), t, HOUR)),
    ),
    recoveryRate: recovery,
    chunksEcApplicableTotalSealSize: applicable,
    chunksEcCodedTotalSealSize: Math.floor(applicable * (1 - uncoded)),
    chunksEcRate: Math.floor(disks * EC_PER_SECOND * (1 + 0.5 * smoothNoise(mix(key, SALTS.rate), t, HOUR))),
  }
}

/** Garbage of one scope in bytes: detected is the sum of the others. */
function garbageOf(scope: 'user' | 'system', disks: number, poolKey: number, t: number) {
  const { pending, unreclaimable, reclaimedPerDay } = GARBAGE[scope]
  const key = mix(poolKey, SALTS[scope])
  const days = Math.max(0, t - BUILT) / DAY
  const parts = {
    Pending: Math.floor(disks * pending * (1 + 0.5 * smoothNoise(key, t, 6 * HOUR))),
    Unreclaimable: Math.floor(disks * unreclaimable * (1 + 0.2 * smoothNoise(key, t, DAY))),
    Reclaimed: Math.floor(disks * reclaimedPerDay * days),
  }
  return { ...parts, TotalDetected: parts.Pending + parts.Unreclaimable + parts.Reclaimed }
}
