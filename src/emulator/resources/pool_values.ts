import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { spaceOf } from '../model/gauges.ts'
import type { StorageModel } from '../model/model.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'
import { keyOf, mix, smoothNoise, sum } from '../model/random.ts'
import { nodesAt, type Pool } from '../model/topology.ts'
import { siteCount } from './replication.ts'

/** Reclaimed garbage grows since then: 1 January 2020. */
const BUILT = 1_577_836_800
/** Parts of the allocated space by purpose; the rest has no purpose that systems serve. */
const ONE_SITE = { UserData: 0.62, SystemMetadata: 0.042, LocalProtection: 0.21, GeoCopy: 0, GeoCache: 0 }
const MORE_SITES: typeof ONE_SITE = { ...ONE_SITE, UserData: 0.36, GeoCopy: 0.25, GeoCache: 0.01 }
/** Relative to the space of all disks. */
const GARBAGE = {
  User: { salt: 81, pending: 0.004, unreclaimable: 0.006, reclaimedPerDay: 0.0002 },
  System: { salt: 82, pending: 0.0003, unreclaimable: 0.0001, reclaimedPerDay: 0.00005 },
} as const
const SALTS = { coded: 83, recovery: 84, rate: 85 } as const
/** Rate of erasure coding, relative to the space of all disks. */
const EC_PER_SECOND = 1e-9
/** Time that the recovery of what is bad takes at the rate of the scenario. */
const RECOVERY_SECONDS = 6 * SECONDS_PER_HOUR

type PoolState = ReturnType<typeof poolAt>

/** What the values depend on: bytes, and MB/s of recovery. */
function poolAt(model: StorageModel, pool: Pool, t: number) {
  const nodes = nodesAt(pool, t)
  const states = nodes.map((node) => model.stateOf(node, t))
  const key = keyOf(pool.uuid)
  return {
    t,
    allocated: sum(states.map((state) => spaceOf(state).allocated)),
    disks: sum(nodes.map((node) => node.disks * node.diskBytes)),
    recovery: sum(states.map(({ effects }) => effects.recovery)),
    parts: siteCount(model, t) > 1 ? MORE_SITES : ONE_SITE,
    noise: (salt: number, period = SECONDS_PER_HOUR) => smoothNoise(mix(key, salt), t, period),
  }
}

/** Bytes of the data of users. */
export function userData(model: StorageModel, pool: Pool, t: number): number {
  return allocatedFor('UserData')(poolAt(model, pool, t))
}

const allocatedFor =
  (purpose: keyof typeof ONE_SITE) =>
  ({ allocated, parts }: PoolState) =>
    Math.floor(allocated * parts[purpose])

type GarbageRow = (typeof GARBAGE)[keyof typeof GARBAGE]
const GARBAGE_KINDS = {
  Pending: ({ disks, noise }: PoolState, { salt, pending }: GarbageRow) =>
    Math.floor(disks * pending * (1 + 0.5 * noise(salt, 6 * SECONDS_PER_HOUR))),
  Unreclaimable: ({ disks, noise }: PoolState, { salt, unreclaimable }: GarbageRow) =>
    Math.floor(disks * unreclaimable * (1 + 0.2 * noise(salt, SECONDS_PER_DAY))),
  Reclaimed: ({ disks, t }: PoolState, { reclaimedPerDay }: GarbageRow) =>
    Math.floor(disks * reclaimedPerDay * (Math.max(0, t - BUILT) / SECONDS_PER_DAY)),
}

function applicable({ allocated, parts }: PoolState): number {
  return Math.floor(allocated * (parts.UserData + parts.LocalProtection))
}

function coded(pool: PoolState): number {
  const uncoded = 0.012 * (1 + pool.noise(SALTS.coded, SECONDS_PER_DAY))
  return Math.floor(applicable(pool) * (1 - uncoded))
}

function codingRate({ disks, noise }: PoolState): number {
  return Math.floor(disks * EC_PER_SECOND * (1 + 0.5 * noise(SALTS.rate)))
}

function badChunks({ recovery, noise }: PoolState): number {
  return Math.floor(recovery * 1e6 * RECOVERY_SECONDS * (1 + 0.2 * noise(SALTS.recovery)))
}

/** Value tag; whether the last snapshot is of now, or of the start of the current five minutes or hour; and the value. */
type PoolValue = readonly [
  tag: 'Capacity' | 'Space' | 'Rate',
  at: 'now' | 'interval' | 'hour',
  value: (pool: PoolState) => number,
]

/** Garbage in bytes by kind and scope: detected is the sum of the other kinds, combined that of both scopes. */
function* garbageValues(): Generator<[name: string, PoolValue]> {
  const scopes = { User: [GARBAGE.User], System: [GARBAGE.System], Combined: Object.values(GARBAGE) }
  const reads = Object.entries(GARBAGE_KINDS).map(([kind, read]) => [kind, [read]] as const)
  for (const [kind, of] of [...reads, ['TotalDetected', Object.values(GARBAGE_KINDS)] as const])
    for (const [scope, rows] of Object.entries(scopes)) {
      const value = (pool: PoolState) => sum(rows.flatMap((row) => of.map((read) => read(pool, row))))
      yield [`gc${scope}${kind}`, ['Capacity', 'interval', value]]
    }
}

const PURPOSES = Object.keys(ONE_SITE) as (keyof typeof ONE_SITE)[]

/** What a pool has besides the sums of its nodes: bytes, and MB/s of recovery. Sums over pools are those of the system. */
const VALUES = new Map<string, PoolValue>([
  ...PURPOSES.map((purpose): [string, PoolValue] => [
    `diskSpaceAllocated${purpose}`,
    ['Capacity', 'now', allocatedFor(purpose)],
  ]),
  ...garbageValues(),
  ['recoveryBadChunksTotalSize', ['Space', 'interval', badChunks]],
  ['recoveryRate', ['Rate', 'interval', ({ recovery }) => recovery]],
  ['chunksEcApplicableTotalSealSize', ['Space', 'hour', applicable]],
  ['chunksEcCodedTotalSealSize', ['Space', 'hour', coded]],
  ['chunksEcRate', ['Rate', 'hour', codingRate]],
])

/** The values with their times, added up over pools. */
export function sumsOf(model: StorageModel, pools: readonly Pool[], now: number) {
  const stateAt = (t: number) => ({ t, states: pools.map((pool) => poolAt(model, pool, t)) })
  const at = {
    now: stateAt(now),
    interval: stateAt(now - (now % STATISTICS_INTERVAL_SECONDS)),
    hour: stateAt(now - (now % SECONDS_PER_HOUR)),
  }
  return [...VALUES].map(([name, [tag, when, value]]) => {
    const { t, states } = at[when]
    return { name, tag, t, value: sum(states.map(value)) }
  })
}
