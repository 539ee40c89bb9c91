import { BYTES_PER_MB, TRANSACTION_ERRORS } from '../../../catalogue.ts'
import { ATTRIBUTE_VALUES } from '../../model/attribute_values.ts'
import { diskBandwidths, PURPOSES } from '../../model/disk_io.ts'
import { type NodeState, STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { countTransactions, ERROR_TYPES, type ErrorType } from '../../model/traffic.ts'
import { type Clock, mainClock, opClock } from './grid.ts'
import { addLatencies, LATENCY_BOUNDS } from './latency_histogram.ts'

/**
 * Counters of a node that are computed together. An interval adds the figures of the nodes feed at its end, times its
 * length: the difference of two neighbouring points, divided by the difference of their times, is the figure of the
 * feed.
 */
export interface CounterGroup {
  readonly slots: number
  readonly clock: Clock
  readonly add: (totals: Float64Array, state: NodeState, seconds: number) => void
}

export const ERROR_CODES = Object.keys(ERROR_TYPES) as readonly ErrorType[]
export const FIRST_CATEGORY = 2
export const FIRST_CODE = FIRST_CATEGORY + TRANSACTION_ERRORS.categories.length
const WRITE_LATENCY = LATENCY_BOUNDS.length

/** Slots: succeeded, failed, failed by category, failed by type. */
export const TRANSACTIONS: CounterGroup = {
  slots: FIRST_CODE + ERROR_CODES.length,
  clock: mainClock,
  add: (totals, state) => {
    // The feed counts whole transactions of five minutes.
    const { succeeded, failed, byType } = countTransactions(state, STATISTICS_INTERVAL_SECONDS)
    increase(totals, 0, succeeded)
    increase(totals, 1, failed)
    for (const [index, type] of ERROR_CODES.entries()) {
      const count = byType.get(type) ?? 0
      const category = TRANSACTION_ERRORS.categories.indexOf(ERROR_TYPES[type].category)
      increase(totals, FIRST_CATEGORY + category, count)
      increase(totals, FIRST_CODE + index, count)
    }
  },
}

/** Slots: bytes read, bytes written. */
export const THROUGHPUT: CounterGroup = {
  slots: 2,
  clock: mainClock,
  add: (totals, state, seconds) => {
    increase(totals, 0, bytesOf(ATTRIBUTE_VALUES.transactionReadBandwidth(state), seconds))
    increase(totals, 1, bytesOf(ATTRIBUTE_VALUES.transactionWriteBandwidth(state), seconds))
  },
}

/** Slots: cumulative counts by bound of latency, of reads and then of writes. */
export const LATENCY: CounterGroup = {
  slots: 2 * LATENCY_BOUNDS.length,
  clock: mainClock,
  add: (totals, state, seconds) => {
    const reads = ATTRIBUTE_VALUES.transactionReadTransactionsPerSec(state) * seconds
    const writes = ATTRIBUTE_VALUES.transactionWriteTransactionsPerSec(state) * seconds
    addLatencies(totals, 0, reads, ATTRIBUTE_VALUES.transactionReadLatency(state))
    addLatencies(totals, WRITE_LATENCY, writes, ATTRIBUTE_VALUES.transactionWriteLatency(state))
  },
}

/** Slots: bytes read by purpose, bytes written by purpose, in the order of {@link PURPOSES}. */
export const DISK_IO: CounterGroup = {
  slots: 2 * PURPOSES.length,
  clock: mainClock,
  add: (totals, state, seconds) => {
    for (const [index, direction] of (['read', 'write'] as const).entries()) {
      for (const [purpose, bandwidth] of diskBandwidths(state, direction).entries()) {
        increase(totals, index * PURPOSES.length + purpose, bytesOf(bandwidth, seconds))
      }
    }
  },
}

/** Slots: bytes received, bytes transmitted. */
export const NETWORK: CounterGroup = {
  slots: 2,
  clock: opClock('net'),
  add: (totals, state, seconds) => {
    increase(totals, 0, bytesOf(ATTRIBUTE_VALUES.nodeNicReceivedBandwidth(state), seconds))
    increase(totals, 1, bytesOf(ATTRIBUTE_VALUES.nodeNicTransmittedBandwidth(state), seconds))
  },
}

function increase(totals: Float64Array, slot: number, by: number): void {
  totals[slot] = (totals[slot] ?? 0) + by
}

/** Whole bytes: bandwidths have three decimals. */
function bytesOf(megabytesPerSecond: number, seconds: number): number {
  return Math.round(megabytesPerSecond * BYTES_PER_MB) * seconds
}
