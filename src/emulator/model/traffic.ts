import type { TRANSACTION_ERRORS } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { isDown, type NodeState } from './model.ts'
import { keyOf, mix, smoothNoise, unit, whiteNoise } from './random.ts'

/** 1 January 1970 was a Thursday: the middle of the first weekend is the midnight after the following Saturday. */
const MIDDLE_OF_WEEKEND = 3 * SECONDS_PER_DAY
const WEEK = 7 * SECONDS_PER_DAY
/**
 * Distance from the middle of the weekend. The load changes between these two times: from Friday evening to Saturday
 * morning, and from Sunday evening to Monday morning.
 */
const WEEKEND_BEGINS = 18 * SECONDS_PER_HOUR
const WEEKDAYS_BEGIN = 30 * SECONDS_PER_HOUR
const PEAK_HOUR = 14
const WEEKEND_FACTOR = 0.55
const NIGHT_FACTOR = 0.22
/** How long the load of a node that joined rises. */
const RISE_SECONDS = 12 * SECONDS_PER_HOUR

/** About 0.1 on a Sunday night, 1 on a weekday afternoon (UTC), 0 when down. `salt` selects the kind of work. */
export function demand(state: NodeState, salt: number): number {
  if (isDown(state)) return 0
  const { node, t } = state
  const key = mix(node.key, salt)
  const noise = 1 + 0.18 * smoothNoise(key, t, SECONDS_PER_HOUR) + 0.05 * whiteNoise(key, t)
  return node.load * weeklyCycle(t) * Math.min(1, (t - node.joinedAt) / RISE_SECONDS) * noise
}

/** The daily and weekly cycle that all nodes share, from about 0.1 to 1. */
function weeklyCycle(t: number): number {
  const hour = (t % SECONDS_PER_DAY) / SECONDS_PER_HOUR
  const day = 0.5 + 0.5 * Math.cos((2 * Math.PI * (hour - PEAK_HOUR)) / 24)
  return (NIGHT_FACTOR + (1 - NIGHT_FACTOR) * day) * weekendFactor(t)
}

function weekendFactor(t: number): number {
  const sinceMiddle = (((t - MIDDLE_OF_WEEKEND) % WEEK) + WEEK) % WEEK
  const distance = Math.min(sinceMiddle, WEEK - sinceMiddle)
  const part = Math.min(1, Math.max(0, (distance - WEEKEND_BEGINS) / (WEEKDAYS_BEGIN - WEEKEND_BEGINS)))
  return WEEKEND_FACTOR + (1 - WEEKEND_FACTOR) * (0.5 - 0.5 * Math.cos(Math.PI * part))
}

const CPU = 41
const SIZES = 23
const SIZE_SECONDS = 2 * 3_600

/** Mean size of an object in MB; latency in ms of an idle node, and what load adds. */
const TRANSACTIONS = {
  read: { salt: 21, perSecond: 850, sizeMb: 0.4, idleMs: 6, loadMs: 22 },
  write: { salt: 22, perSecond: 320, sizeMb: 0.7, idleMs: 11, loadMs: 34 },
} as const

export type Direction = keyof typeof TRANSACTIONS
export const DIRECTIONS = Object.keys(TRANSACTIONS) as readonly Direction[]

type Traffic = ReturnType<typeof trafficOf>

export function trafficOf(state: NodeState) {
  /** The mean size of an object varies over time. */
  const size = 1 + 0.25 * smoothNoise(mix(state.node.key, SIZES), state.t, SIZE_SECONDS)
  const of = (direction: Direction) => {
    const { salt, perSecond, sizeMb, idleMs, loadMs } = TRANSACTIONS[direction]
    const utilization = demand(state, salt)
    const { latency, addedLatencyMs } = state.effects
    return {
      perSecond: perSecond * utilization,
      /** MB/s. */
      bandwidth: perSecond * utilization * sizeMb * size,
      latencyMs: (idleMs + loadMs * utilization * utilization) * latency + addedLatencyMs,
    }
  }
  return { state, read: of('read'), write: of('write') }
}

/** The purposes of disk I/O, as attribute names end. */
export const PURPOSES = ['Ec', 'Cc', 'Recovery', 'Geo', 'User', 'Xor'] as const
export type Purpose = (typeof PURPOSES)[number]

const BACKGROUND = 31
/** MB/s. The consistency check reads more when there is less client traffic. */
const CHECK_READS = 45

/** MB/s of each purpose, of a node that is not down. */
export const DISK_BANDWIDTH: Record<Purpose, (traffic: Traffic, direction: Direction) => number> = {
  User: (traffic, direction) => traffic[direction].bandwidth * (direction === 'read' ? 0.8 : 1.6),
  Ec: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 1 : 0.33),
  Geo: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 0.45 : 0.3),
  Xor: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 0.2 : 0.1),
  Cc: ({ state }, direction) =>
    direction === 'read' ? CHECK_READS * Math.max(0, 1.1 - demand(state, BACKGROUND)) : 0.2,
  Recovery: ({ state }, direction) => state.effects.recovery * (direction === 'read' ? 0.7 : 1),
}

/** MB/s through the network interfaces of a node that is not down: client traffic, copies and recovery. */
export function nic({ state, read, write }: Traffic): { received: number; transmitted: number } {
  const { recovery } = state.effects
  return {
    received: rounded(write.bandwidth * 1.7 + read.bandwidth * 0.2 + recovery + 0.4),
    transmitted: rounded(read.bandwidth * 1.2 + write.bandwidth * 0.7 + recovery * 0.3 + 0.4),
  }
}

/** Percent, of a node that is not down. */
export function cpu(state: NodeState): number {
  return rounded(Math.min(99, 4 + 46 * demand(state, CPU)))
}

/** Rounded to three decimals, as rates are served. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

export type ErrorCategory = (typeof TRANSACTION_ERRORS.categories)[number]

interface ErrorTypeRow {
  readonly category: ErrorCategory
  /** Ratio of transactions that fail with it in an interval in which it occurs. */
  readonly ratio: number
  /** Ratio of intervals in which it occurs. */
  readonly frequency: number
}

/** Error types as real systems name them: the status and the protocol. */
export const ERROR_TYPES = {
  '404 (S3)': { category: 'User', ratio: 0.0015, frequency: 1 },
  '403 (S3)': { category: 'User', ratio: 0.0003, frequency: 0.9 },
  '412 (ATMOS)': { category: 'User', ratio: 0.00005, frequency: 0.25 },
  '500 (S3)': { category: 'System', ratio: 0.00003, frequency: 0.4 },
  '503 (S3)': { category: 'System', ratio: 0.00001, frequency: 0.12 },
} as const satisfies Record<string, ErrorTypeRow>
export type ErrorType = keyof typeof ERROR_TYPES
export const ERROR_CODES = Object.keys(ERROR_TYPES) as [ErrorType, ...ErrorType[]]

const KEYS = Object.fromEntries(ERROR_CODES.map((type) => [type, keyOf(type)])) as Record<ErrorType, number>

/** Transactions that fail with an error type, of so many in five minutes. */
export function failures(state: NodeState, type: ErrorType, all: number): number {
  const row: ErrorTypeRow = ERROR_TYPES[type]
  const factor = row.category === 'User' ? state.effects.userErrors : state.effects.systemErrors
  const key = mix(state.node.key, KEYS[type])
  const isNormal = factor === 1
  if (isNormal && (state.node.isFaultless || unit(key, state.t) >= row.frequency)) return 0
  const ratio = Math.min(0.3, row.ratio * factor * (0.6 + 0.8 * unit(key, state.t + 1)))
  return Math.floor(all * ratio)
}
