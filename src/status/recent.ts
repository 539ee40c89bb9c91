import type { MergedReading } from '../api/query/merge.ts'
import type { AttributeName } from '../catalogue.ts'
import type { LatencyOperation } from '../query_catalogue.ts'
import type { PoolState, SystemState } from '../state/state.ts'
import type { StateObserver } from '../state/store.ts'
import { createLatencyWindow } from './latency_window.ts'
import { baseValue, ratioOf, sumOfKnown } from './node_status.ts'

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
