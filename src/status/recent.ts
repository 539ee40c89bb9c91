import type { MergedNode, MergedReading } from '../api/query/merge.ts'
import type { LatencyHistogram } from '../api/query/values/performance.ts'
import type { AttributeName } from '../catalogue.ts'
import { baseValue, ratioOf, sumOfKnown } from '../metrics/samples.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import type { PoolState, SystemState } from '../state/state.ts'
import type { StateObserver } from '../state/store.ts'

/** Length of a slot. Polls of the demo are this far apart. */
export const SLOT_SECONDS = 15
export const MINUTE_SLOTS = 60 / SLOT_SECONDS
/** One hour. */
const SLOTS = 240

/** What is remembered of a pool for each slot; of a system, the sum over its pools. */
const POLL_COLUMNS = [
  'polls_ok',
  'polls_failed',
  'poll_seconds',
  'transactions_per_second',
  'transaction_bytes_per_second',
] as const
const POOL_COLUMNS = [...POLL_COLUMNS, 'disk_space_allocated_ratio'] as const
export type PoolColumn = (typeof POOL_COLUMNS)[number]
const SYSTEM_COLUMNS = [...POLL_COLUMNS, 'requests'] as const
export type SystemColumn = (typeof SYSTEM_COLUMNS)[number]

/** Pools beyond this number have no charts: each takes 8 kB. */
const MAX_POOLS = 2000

/** One value for each slot, the oldest first; undefined without a value. */
export type Values = readonly (number | undefined)[]

/** What happened in the last hour, in memory. */
export type Recent = ReturnType<typeof createRecent>

/** The values of a column from the first record, or an hour ago, to now; at least five minutes. */
export type History<Column extends string> = (column: Column) => Values

/** A chart of a program that was just started shows this time. */
const LEAST_SLOTS = 300 / SLOT_SECONDS

/** @param nowMs monotonic clock in milliseconds: charts do not jump when the clock of the machine is set */
export function createRecent(nowMs: () => number = () => performance.now()) {
  const systems = new Map<string, RecentSystem>()
  const slotNow = () => Math.floor(nowMs() / 1000 / SLOT_SECONDS)
  const firstSlot = slotNow()

  const systemOf = (name: string): RecentSystem => {
    const known = systems.get(name) ?? newSystem()
    systems.set(name, known)
    return known
  }
  const hasRoom = () => [...systems.values()].reduce((sum, { pools }) => sum + pools.size, 0) < MAX_POOLS
  function add(system: RecentSystem, id: string, pool: PoolState, slot: number): void {
    const known = system.pools.get(id) ?? (hasRoom() ? newPool() : undefined)
    if (known === undefined) return
    system.pools.set(id, known)
    note(system, known, pool, slot)
  }

  const historyOf =
    <Column extends string>(slots: Slots<Column> | undefined): History<Column> =>
    (column) => {
      const count = Math.min(SLOTS, Math.max(slotNow() - firstSlot + 1, LEAST_SLOTS))
      const first = slotNow() - count + 1
      return Array.from({ length: count }, (_, index) => slots?.get(first + index, column))
    }

  return {
    /** A request was sent to the system. */
    requested: (name: string): void => systemOf(name).slots.add(slotNow(), 'requests', 1),
    /** Requests of the last minute, in steps of 15 seconds. */
    requestsLastMinute(name: string): number {
      const slots = systems.get(name)?.slots
      const last = Array.from({ length: MINUTE_SLOTS }, (_, back) => slots?.get(slotNow() - back, 'requests'))
      return last.reduce<number>((total, count) => total + (count ?? 0), 0)
    },
    /** A quantile of the last 20 minutes, in seconds; undefined without a histogram, and for a pool without charts. */
    latency: (system: string, poolId: string, operation: LatencyOperation, quantile: number) =>
      systems.get(system)?.pools.get(poolId)?.latencies.quantile(operation, quantile),
    system(name: string): History<SystemColumn> {
      const system = systems.get(name)
      if (system !== undefined) noteSums(system)
      return historyOf(system?.slots)
    },
    /** Undefined for a pool without charts. */
    pool(name: string, poolId: string): History<PoolColumn> | undefined {
      const pool = systems.get(name)?.pools.get(poolId)
      return pool && historyOf(pool.slots)
    },
    changed(state: SystemState): void {
      const system = systemOf(state.name)
      const slot = slotNow()
      if (system.unsummed !== slot) noteSums(system)
      for (const id of system.pools.keys()) if (!state.pools.has(id)) system.pools.delete(id)
      // Most changes are of one pool of many.
      for (const [id, pool] of state.pools)
        if (system.pools.get(id)?.noted !== pool) add(system, id, pool, slot)
    },
    kept(names: readonly string[]): void {
      for (const name of systems.keys()) if (!names.includes(name)) systems.delete(name)
    },
  } satisfies StateObserver & Record<string, unknown>
}

type RecentSystem = ReturnType<typeof newSystem>

function newSystem() {
  return {
    slots: createSlots(SYSTEM_COLUMNS),
    pools: new Map<string, RecentPool>(),
    /** The slot that lacks the sums over the pools. They are made once for each slot, not for each of thousands of polls. */
    unsummed: undefined as number | undefined,
  }
}

type RecentPool = ReturnType<typeof newPool>

function newPool() {
  return {
    slots: createSlots(POOL_COLUMNS),
    latencies: createLatencyWindow(),
    /** The state that was noted last. */
    noted: undefined as PoolState | undefined,
    totals: undefined as ReturnType<typeof poolTotals> | undefined,
  }
}

function note(system: RecentSystem, known: RecentPool, pool: PoolState, slot: number): void {
  const { lastAttempt, merged } = pool
  const before = known.noted
  known.noted = pool
  if (lastAttempt !== before?.lastAttempt && lastAttempt !== undefined) {
    for (const { slots } of [system, known]) {
      slots.add(slot, lastAttempt.failure === undefined ? 'polls_ok' : 'polls_failed', 1)
      slots.raise(slot, 'poll_seconds', lastAttempt.seconds)
    }
  }
  if (merged === before?.merged) return
  known.latencies.add(merged?.nodes ?? [])
  known.totals = merged && poolTotals(merged)
  system.unsummed = slot
  for (const column of TOTALS) {
    const value = known.totals?.[column]
    if (value !== undefined) known.slots.set(slot, column, value)
  }
}

function noteSums(system: RecentSystem): void {
  const { slots, pools, unsummed } = system
  if (unsummed === undefined) return
  system.unsummed = undefined
  for (const column of SUMMED) {
    const sum = sumOfKnown(Array.from(pools.values(), ({ totals }) => totals?.[column]))
    if (sum !== undefined) slots.set(unsummed, column, sum)
  }
}

const SUMMED = ['transactions_per_second', 'transaction_bytes_per_second'] as const
const TOTALS = [...SUMMED, 'disk_space_allocated_ratio'] as const

const CAPACITY = ['diskSpaceAllocated', 'diskSpaceTotal'] as const

/** Undefined: no node serves it. */
function poolTotals({ nodes }: MergedReading) {
  const sum = (...names: readonly AttributeName[]) =>
    sumOfKnown(nodes.flatMap((node) => names.map((name) => baseValue(node, name))))
  // As by the rules: of the nodes that have both values.
  const both = nodes.filter((node) => CAPACITY.every((name) => baseValue(node, name) !== undefined))
  const [allocated, total] = CAPACITY.map((name) => sumOfKnown(both.map((node) => baseValue(node, name))))
  return {
    transactions_per_second: sum('transactionReadTransactionsPerSec', 'transactionWriteTransactionsPerSec'),
    transaction_bytes_per_second: sum('transactionReadBandwidth', 'transactionWriteBandwidth'),
    disk_space_allocated_ratio: ratioOf(allocated, total),
  }
}

/** Values of the last hour, in slots of 15 seconds. Memory is constant. */
type Slots<Column extends string> = ReturnType<typeof createSlots<Column>>

/** Slots are numbered; changes of older ones than those kept are ignored. */
function createSlots<Column extends string>(columns: readonly Column[]) {
  // Single precision is enough for charts. NaN: no value.
  const values = new Float32Array(SLOTS * columns.length).fill(Number.NaN)
  const numbers = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY)

  /** The index of a value; undefined if the slot is older than the one that took its place. */
  function place(slot: number, column: Column): number | undefined {
    const row = slot % SLOTS
    const held = numbers[row] ?? Number.NEGATIVE_INFINITY
    if (held > slot) return undefined
    if (held < slot) {
      numbers[row] = slot
      values.fill(Number.NaN, row * columns.length, (row + 1) * columns.length)
    }
    return row * columns.length + columns.indexOf(column)
  }

  function change(slot: number, column: Column, next: (before: number) => number): void {
    const index = place(slot, column)
    if (index !== undefined) values[index] = next(values[index] ?? Number.NaN)
  }

  return {
    /** Adds to the value of a slot, which is 0 at first. */
    add: (slot: number, column: Column, value: number): void =>
      change(slot, column, (before) => (Number.isNaN(before) ? value : before + value)),
    /** Sets the value, if it is larger than the one that the slot has. */
    raise: (slot: number, column: Column, value: number): void =>
      change(slot, column, (before) => (before > value ? before : value)),
    set: (slot: number, column: Column, value: number): void => change(slot, column, () => value),
    /** The value; undefined if the slot has none. */
    get(slot: number, column: Column): number | undefined {
      const row = slot % SLOTS
      if (numbers[row] !== slot) return undefined
      const value = values[row * columns.length + columns.indexOf(column)] ?? Number.NaN
      return Number.isNaN(value) ? undefined : value
    },
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
