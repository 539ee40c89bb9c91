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
  User: { pending: 0.004, unreclaimable: 0.006, reclaimedPerDay: 0.0002 },
  System: { pending: 0.0003, unreclaimable: 0.0001, reclaimedPerDay: 0.00005 },
} as const
const SALTS = { User: 81, System: 82, coded: 83, recovery: 84, rate: 85 } as const
/** Rate of erasure coding, relative to the space of all disks. */
const EC_PER_SECOND = 1e-9
/** Time that the recovery of what is bad takes at the rate of the scenario. */
const RECOVERY_SECONDS = 6 * SECONDS_PER_HOUR

/** Values of a pool with one value tag, whose last snapshot has the time `t`. */
export interface ValueGroup {
  readonly tag: 'Capacity' | 'Space' | 'Rate'
  readonly t: number
  readonly values: Readonly<Record<string, number>>
}

/** What a pool has besides the sums of its nodes: bytes, and MB/s of recovery. Sums over pools are those of the system. */
function poolValues(model: StorageModel, pool: Pool, now: number): readonly ValueGroup[] {
  const [hour, interval] = [now - (now % SECONDS_PER_HOUR), now - (now % STATISTICS_INTERVAL_SECONDS)]
  const [current, recent, older] = [now, interval, hour].map((t) => poolAt(model, pool, t)) as [At, At, At]
  const applicable = Math.floor(older.allocated * (older.parts.UserData + older.parts.LocalProtection))
  const uncoded = 0.012 * (1 + older.noise(SALTS.coded, SECONDS_PER_DAY))
  const bad = recent.recovery * 1e6 * RECOVERY_SECONDS * (1 + 0.2 * recent.noise(SALTS.recovery))
  return [
    { tag: 'Capacity', t: now, values: purposesOf(current) },
    { tag: 'Capacity', t: interval, values: garbageOf(recent) },
    { tag: 'Space', t: interval, values: { recoveryBadChunksTotalSize: Math.floor(bad) } },
    { tag: 'Rate', t: interval, values: { recoveryRate: recent.recovery } },
    {
      tag: 'Space',
      t: hour,
      values: {
        chunksEcApplicableTotalSealSize: applicable,
        chunksEcCodedTotalSealSize: Math.floor(applicable * (1 - uncoded)),
      },
    },
    {
      tag: 'Rate',
      t: hour,
      values: { chunksEcRate: Math.floor(older.disks * EC_PER_SECOND * (1 + 0.5 * older.noise(SALTS.rate))) },
    },
  ]
}

/** {@link poolValues}, added up over pools. */
export function sumsOf(model: StorageModel, pools: readonly Pool[], now: number): readonly ValueGroup[] {
  const [first = [], ...others] = pools.map((pool) => poolValues(model, pool, now))
  return first.map((group, index) => {
    const totalOf = ([name, value]: [string, number]) =>
      [name, value + sum(others.map((groups) => groups[index]?.values[name] ?? 0))] as const
    return { ...group, values: Object.fromEntries(Object.entries(group.values).map(totalOf)) }
  })
}

type At = ReturnType<typeof poolAt>

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

function purposesOf({ allocated, parts }: At): Record<string, number> {
  const bytes = Object.entries(parts).map(([purpose, part]) => [
    `diskSpaceAllocated${purpose}`,
    Math.floor(allocated * part),
  ])
  return Object.fromEntries(bytes)
}

/** Bytes of the data of users. */
export function userData(model: StorageModel, pool: Pool, t: number): number {
  const { allocated, parts } = poolAt(model, pool, t)
  return Math.floor(allocated * parts.UserData)
}

/** Garbage in bytes: detected is the sum of the other kinds, combined that of both scopes. */
function garbageOf({ disks, t, noise }: At): Record<string, number> {
  const days = Math.max(0, t - BUILT) / SECONDS_PER_DAY
  const kindsOf = (scope: keyof typeof GARBAGE) => {
    const { pending, unreclaimable, reclaimedPerDay } = GARBAGE[scope]
    const [Pending, Unreclaimable, Reclaimed] = [
      Math.floor(disks * pending * (1 + 0.5 * noise(SALTS[scope], 6 * SECONDS_PER_HOUR))),
      Math.floor(disks * unreclaimable * (1 + 0.2 * noise(SALTS[scope], SECONDS_PER_DAY))),
      Math.floor(disks * reclaimedPerDay * days),
    ]
    return { Pending, Unreclaimable, Reclaimed, TotalDetected: Pending + Unreclaimable + Reclaimed }
  }
  const system: Record<string, number> = kindsOf('System')
  const bytes = Object.entries(kindsOf('User')).flatMap(([kind, user]) => [
    [`gcUser${kind}`, user],
    [`gcSystem${kind}`, system[kind]],
    [`gcCombined${kind}`, user + (system[kind] ?? 0)],
  ])
  return Object.fromEntries(bytes)
}
