import type { MergedNode, MergedReading } from '../api/query/merge.ts'
import type { LatencyHistogram } from '../api/query/values/performance.ts'
import type { AttributeName } from '../catalogue.ts'
import { baseValue, ratioOf, sumOfKnown } from '../metrics/samples.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import type { PoolState, SystemState } from '../state/state.ts'
import type { StateObserver } from '../state/store.ts'

/** Length of a slot. Polls of the demo are this far apart. */
export const SLOT_SECONDS = 15
const MINUTE_SLOTS = 60 / SLOT_SECONDS
/** One hour. */
const SLOTS = 240
/** A chart of a program that was just started shows this time. */
const LEAST_SLOTS = 300 / SLOT_SECONDS

/** Pools beyond this number have no charts: each takes 17 kB, if it is polled every minute. */
const MAX_POOLS = 1000

/** What is remembered of a pool in each slot; of a system, that of all its pools. Requests are only those of a system. */
export type Column =
  | 'requests'
  | 'polls_failed'
  | 'poll_seconds'
  | 'transactions_per_second'
  | 'transaction_bytes_per_second'
  | 'disk_space_allocated_ratio'

type Slot = Partial<Record<Column, number | undefined>>
/** Those of the last hour that have a value, by their number, the oldest first. */
type Slots = Map<number, Slot>

/** One value for each slot, the oldest first; undefined without a value. */
export type Values = readonly (number | undefined)[]

/** The values of a column from the first record, or an hour ago, to now; at least five minutes. */
export type History = (column: Column) => Values

/** What happened in the last hour, in memory. */
export type Recent = ReturnType<typeof createRecent>

/** @param nowMs monotonic clock in milliseconds: charts do not jump when the clock of the machine is set */
export function createRecent(nowMs: () => number = () => performance.now()) {
  const systems = new Map<string, RecentSystem>()
  const slotNow = () => Math.floor(nowMs() / 1000 / SLOT_SECONDS)
  const firstSlot = slotNow()

  const systemOf = (name: string): RecentSystem => {
    const known = systems.get(name) ?? { slots: new Map(), pools: new Map() }
    systems.set(name, known)
    return known
  }
  const hasRoom = () => [...systems.values()].reduce((sum, { pools }) => sum + pools.size, 0) < MAX_POOLS
  /** Returns whether the pool has other totals. */
  function add(system: RecentSystem, id: string, pool: PoolState): boolean {
    const known = system.pools.get(id) ?? (hasRoom() ? newPool() : undefined)
    // Most changes are of one pool of many.
    if (known === undefined || known.noted === pool) return false
    system.pools.set(id, known)
    return note(system, known, pool, slotNow())
  }
  const historyOf =
    (slots: Slots | undefined): History =>
    (column) => {
      const count = Math.min(SLOTS, Math.max(slotNow() - firstSlot + 1, LEAST_SLOTS))
      const first = slotNow() - count + 1
      return Array.from({ length: count }, (_, index) => slots?.get(first + index)?.[column])
    }

  return {
    requested(name: string): void {
      const slot = slotAt(systemOf(name).slots, slotNow())
      slot.requests = (slot.requests ?? 0) + 1
    },
    /** Requests of the last minute, in steps of 15 seconds. */
    requestsLastMinute: (name: string): number =>
      sumOfKnown(historyOf(systems.get(name)?.slots)('requests').slice(-MINUTE_SLOTS)) ?? 0,
    /** A quantile of the last 20 minutes, in seconds; undefined without a histogram, and for a pool without charts. */
    latency: (system: string, poolId: string, operation: LatencyOperation, quantile: number) =>
      systems.get(system)?.pools.get(poolId)?.latencies.quantile(operation, quantile),
    system: (name: string): History => historyOf(systems.get(name)?.slots),
    /** Undefined for a pool without charts. */
    pool(name: string, poolId: string): History | undefined {
      const pool = systems.get(name)?.pools.get(poolId)
      return pool && historyOf(pool.slots)
    },
    changed(state: SystemState): void {
      const system = systemOf(state.name)
      for (const id of system.pools.keys()) if (!state.pools.has(id)) system.pools.delete(id)
      const changed = [...state.pools].filter(([id, pool]) => add(system, id, pool))
      // Once for all of them: a reading of the Flux API changes each pool.
      if (changed.length > 0)
        Object.assign(slotAt(system.slots, slotNow()), valuesOf([...system.pools.values()]))
    },
    kept(names: readonly string[]): void {
      for (const name of systems.keys()) if (!names.includes(name)) systems.delete(name)
    },
  } satisfies Partial<StateObserver> & Record<string, unknown>
}

interface RecentSystem {
  readonly slots: Slots
  readonly pools: Map<string, RecentPool>
}

type RecentPool = ReturnType<typeof newPool>

function newPool() {
  return {
    slots: new Map() as Slots,
    latencies: createLatencyWindow(),
    noted: undefined as PoolState | undefined,
    totals: undefined as PoolTotals | undefined,
  }
}

/** The slot with this number, which becomes the newest. Slots of an hour ago are forgotten. */
function slotAt(slots: Slots, number: number): Slot {
  for (const old of slots.keys()) {
    if (old > number - SLOTS) break
    slots.delete(old)
  }
  const slot = slots.get(number) ?? {}
  slots.set(number, slot)
  return slot
}

/** Returns whether the pool has other totals; those of the system are up to the caller. */
function note(system: RecentSystem, known: RecentPool, pool: PoolState, number: number): boolean {
  const { lastAttempt, merged } = pool
  const before = known.noted
  known.noted = pool
  const [ofPool, ofSystem] = [slotAt(known.slots, number), slotAt(system.slots, number)]
  if (lastAttempt !== before?.lastAttempt && lastAttempt !== undefined) {
    for (const slot of [ofPool, ofSystem]) {
      slot.polls_failed = (slot.polls_failed ?? 0) + (lastAttempt.failure === undefined ? 0 : 1)
      slot.poll_seconds = Math.max(slot.poll_seconds ?? 0, lastAttempt.seconds)
    }
  }
  if (merged === before?.merged) return false
  known.latencies.add(merged?.nodes ?? [])
  known.totals = merged && poolTotals(merged)
  Object.assign(ofPool, valuesOf([known]))
  return true
}

type PoolTotals = ReturnType<typeof poolTotals>

/** Sums over the nodes of a pool; undefined: no node serves it. */
function poolTotals({ nodes }: MergedReading) {
  const sum = (of: readonly MergedNode[], ...names: readonly AttributeName[]) =>
    sumOfKnown(names.flatMap((name) => of.map((node) => baseValue(node, name))))
  // As by the rules: of the nodes that have both values.
  const whole = nodes.filter((node) => CAPACITY.every((name) => baseValue(node, name) !== undefined))
  const [allocated, total] = CAPACITY.map((name) => sum(whole, name))
  return {
    transactions: sum(nodes, 'transactionReadTransactionsPerSec', 'transactionWriteTransactionsPerSec'),
    bytes: sum(nodes, 'transactionReadBandwidth', 'transactionWriteBandwidth'),
    allocated,
    total,
  }
}

const CAPACITY = ['diskSpaceAllocated', 'diskSpaceTotal'] as const

function valuesOf(pools: readonly RecentPool[]): Slot {
  const sum = (name: keyof PoolTotals) => sumOfKnown(pools.map(({ totals }) => totals?.[name]))
  return {
    transactions_per_second: sum('transactions'),
    transaction_bytes_per_second: sum('bytes'),
    disk_space_allocated_ratio: ratioOf(sum('allocated'), sum('total')),
  }
}

/** The range of the rates of histograms in the rules, for the same reasons. */
const WINDOW_SECONDS = 1200

type Histograms = NonNullable<MergedNode['latencies']>
/** Requests by the upper bound of their latency in seconds. */
type Counts = Map<number, number>

/** The requests between two readings of a pool. */
interface Increase {
  /** By the clock of the system, in seconds since the epoch. */
  readonly t: number
  readonly counts: ReadonlyMap<LatencyOperation, Counts>
}

/** Latencies of the requests to a pool within the last 20 minutes, from the histograms of its nodes. */
function createLatencyWindow() {
  let histograms: ReadonlyMap<string, Histograms> = new Map()
  let increases: readonly Increase[] = []
  return {
    add(nodes: readonly MergedNode[]): void {
      const next = new Map(nodes.flatMap(({ id, latencies }) => (latencies ? [[id, latencies]] : [])))
      const increase = increaseOf(histograms, next)
      histograms = next
      if (increase !== undefined)
        increases = [...increases.filter(({ t }) => t > increase.t - WINDOW_SECONDS), increase]
    },
    /** In seconds; undefined without requests, and before the second reading with new histograms. */
    quantile(operation: LatencyOperation, quantile: number): number | undefined {
      const isServed = [...histograms.values()].some((ofNode) => ofNode.has(operation))
      return isServed ? quantileOf(summedCounts(increases, operation), quantile) : undefined
    },
  }
}

/** Undefined if no histogram is newer than before. */
function increaseOf(
  before: ReadonlyMap<string, Histograms>,
  after: ReadonlyMap<string, Histograms>,
): Increase | undefined {
  let newest = Number.NEGATIVE_INFINITY
  const counts = new Map<LatencyOperation, Counts>()
  for (const [id, histograms] of after) {
    for (const [operation, histogram] of histograms) {
      const old = before.get(id)?.get(operation)
      if (old === undefined || histogram.t <= old.t) continue
      newest = Math.max(newest, histogram.t)
      const sums = counts.get(operation) ?? new Map()
      counts.set(operation, sums)
      addIncrease(sums, old, histogram)
    }
  }
  return counts.size === 0 ? undefined : { t: newest, counts }
}

/** A count that decreased began at 0 again, as for `rate()`. */
function addIncrease(sums: Counts, before: LatencyHistogram, after: LatencyHistogram): void {
  const old = new Map(before.buckets.map(({ seconds, count }) => [seconds, count]))
  for (const { seconds, count } of after.buckets) {
    const first = old.get(seconds) ?? 0
    sums.set(seconds, (sums.get(seconds) ?? 0) + (count >= first ? count - first : count))
  }
}

function summedCounts(increases: readonly Increase[], operation: LatencyOperation): Counts {
  const sums: Counts = new Map()
  for (const { counts } of increases)
    for (const [seconds, count] of counts.get(operation) ?? [])
      sums.set(seconds, (sums.get(seconds) ?? 0) + count)
  return sums
}

/** As `histogram_quantile()`: linear within a bucket; the largest finite bound for what is above it. */
function quantileOf(counts: Counts, quantile: number): number | undefined {
  const rank = quantile * (counts.get(Number.POSITIVE_INFINITY) ?? 0)
  if (rank === 0) return undefined
  let [lower, below] = [0, 0]
  for (const [seconds, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    if (count >= rank)
      return seconds === Number.POSITIVE_INFINITY
        ? lower
        : lower + ((seconds - lower) * (rank - below)) / (count - below)
    ;[lower, below] = [seconds, count]
  }
  return lower
}
