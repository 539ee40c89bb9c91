import { type AttributeName, BYTES_PER_MB } from '../../catalogue.ts'
import { oncePerKey } from '../../values/cache.ts'
import { isDown, type NodeState, STATISTICS_INTERVAL_SECONDS, type StorageModel } from './model.ts'
import { sum } from './random.ts'
import type { Node } from './topology.ts'
import {
  cpu,
  DIRECTIONS,
  DISK_BANDWIDTH,
  type Direction,
  ERROR_CODES,
  ERROR_TYPES,
  type ErrorCategory,
  failures,
  nic,
  PURPOSES,
  type Purpose,
  trafficOf,
} from './traffic.ts'

/** Amounts: percent or MB/s times seconds in thousandths, transactions, and microseconds of all transactions. */
const NAMES = [
  'cpu',
  'received',
  'transmitted',
  ...DIRECTIONS.flatMap(
    (direction) => [`${direction}Size`, `${direction}Count`, `${direction}Micros`] as const,
  ),
  ...PURPOSES.flatMap((purpose) => DIRECTIONS.map((direction) => `${direction}${purpose}` as const)),
  ...ERROR_CODES,
] as const
type Name = (typeof NAMES)[number]
const SLOTS = Object.fromEntries(NAMES.map((name, slot) => [name, slot])) as Record<Name, number>
export const SLOT_COUNT = NAMES.length
/** Rates have three decimals, as served. */
const PARTS = 1_000

/**
 * What nodes do in a time, by {@link SLOTS}. The amounts are whole numbers that add up over time and over nodes, so
 * that the values of all intervals agree exactly.
 */
export type Amounts = Float64Array

/**
 * The counters of a node at point `k`, since its processes were started: its amounts, then its latencies, then
 * the bytes of its interfaces. An interval adds what the dashboard API says about it: the difference of two neighbouring
 * points, divided by the difference of their times, is the value of the dashboard API.
 */
export type Counters = (node: Node, k: number) => Float64Array

/**
 * The amounts of the five minutes that end at the time of the state, in the order of {@link NAMES}.
 * @param amounts overwritten, so that sums over many intervals allocate nothing
 */
export function amountsOf(state: NodeState, amounts = new Float64Array(SLOT_COUNT)): Amounts {
  if (isDown(state)) return amounts.fill(0)
  let slot = 0
  const add = (amount: number) => {
    amounts[slot++] = amount
  }
  const addRate = (rate: number) => add(Math.round(rate * PARTS) * STATISTICS_INTERVAL_SECONDS)
  const traffic = trafficOf(state)
  const { received, transmitted } = nic(traffic)
  addRate(cpu(state))
  addRate(received)
  addRate(transmitted)
  for (const direction of DIRECTIONS) {
    const { perSecond, bandwidth, latencyMs } = traffic[direction]
    const count = Math.round(perSecond * STATISTICS_INTERVAL_SECONDS)
    addRate(bandwidth)
    add(count)
    add(Math.round(latencyMs * PARTS) * count)
  }
  for (const purpose of PURPOSES)
    for (const direction of DIRECTIONS) addRate(DISK_BANDWIDTH[purpose](traffic, direction))
  const transactions = transactionsIn(amounts)
  for (const type of ERROR_CODES) add(failures(state, type, transactions))
  return amounts
}

/** Reads the amounts of `interval` seconds that end at a time, over several nodes; each time is computed once. */
export function createAmounts({ stateOf }: StorageModel, nodes: readonly Node[], interval: number) {
  const sumUntil = (t: number): Amounts => {
    const total = new Float64Array(SLOT_COUNT)
    const first = Math.floor((t - interval) / STATISTICS_INTERVAL_SECONDS) + 1
    for (let k = first; (k - 1) * STATISTICS_INTERVAL_SECONDS < t; k++) {
      const end = k * STATISTICS_INTERVAL_SECONDS
      for (const node of nodes) addPart(total, amountsOf(stateOf(node, end)), t - interval - end, t - end)
    }
    return total
  }
  return oncePerKey(sumUntil)
}

/** Adds what happens from `from` to `to`, in seconds relative to the end of the five minutes of `amounts`. */
function addPart(total: Amounts, amounts: Amounts, from: number, to: number): void {
  const begin = Math.max(0, 1 + from / STATISTICS_INTERVAL_SECONDS)
  const end = Math.min(1, 1 + to / STATISTICS_INTERVAL_SECONDS)
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    const amount = amounts[slot] ?? 0
    total[slot] = (total[slot] ?? 0) + Math.floor(amount * end) - Math.floor(amount * begin)
  }
}

/** Reads the sum of some amounts. */
export function amountOf(...names: readonly Name[]): (amounts: Amounts) => number {
  const slots = names.map((name) => SLOTS[name])
  return (amounts) => {
    let total = 0
    for (const slot of slots) total += amounts[slot] ?? 0
    return total
  }
}

export const transactionsIn = amountOf('readCount', 'writeCount')
export const failedIn = amountOf(...ERROR_CODES)

export function succeededIn(amounts: Amounts): number {
  return transactionsIn(amounts) - failedIn(amounts)
}

/** @param protocol default: all */
export function errorsIn(category: ErrorCategory, protocol = ''): (amounts: Amounts) => number {
  const types = ERROR_CODES.filter((type) => ERROR_TYPES[type].category === category)
  return amountOf(...types.filter((type) => type.includes(`(${protocol}`)))
}

/** Bytes, of amounts of MB/s. */
export function bytesIn(...names: readonly Name[]): (amounts: Amounts) => number {
  const amount = amountOf(...names)
  return (amounts) => (amount(amounts) * BYTES_PER_MB) / PARTS
}

/** The mean of all transactions in ms. */
export function latencyIn(direction: Direction): (amounts: Amounts) => number {
  const [micros, count] = [amountOf(`${direction}Micros`), amountOf(`${direction}Count`)]
  return (amounts) => (count(amounts) === 0 ? 0 : micros(amounts) / count(amounts) / PARTS)
}

/** Computes a value in the unit of the catalogue from the amounts of some seconds. */
type Rate = (amounts: Amounts, seconds: number, nodes: readonly Node[]) => number

function rateOf(...names: readonly Name[]): Rate {
  const amount = amountOf(...names)
  return (amounts, seconds) => amount(amounts) / (seconds * PARTS)
}

function perNode(rate: Rate, capacityOf: (node: Node) => number): Rate {
  return (amounts, seconds, nodes) => rate(amounts, seconds, nodes) / sum(nodes.map(capacityOf))
}

function nicUtilization(...names: readonly Name[]): Rate {
  return perNode(rateOf(...names), ({ nicCapacity }) => nicCapacity / 100)
}

function transactionRate(direction: Direction): Rate {
  const count = amountOf(`${direction}Count`)
  return (amounts, seconds) => count(amounts) / seconds
}

type DiskAttribute = `disk${'Read' | 'Write'}Bandwidth${Purpose}`
const DISK_RATES = Object.fromEntries(
  PURPOSES.flatMap((purpose): [DiskAttribute, Rate][] => [
    [`diskReadBandwidth${purpose}`, rateOf(`read${purpose}`)],
    [`diskWriteBandwidth${purpose}`, rateOf(`write${purpose}`)],
  ]),
) as Record<DiskAttribute, Rate>

/** The attributes that are means over the previous interval. */
export const RATES = {
  nodeCpuUtilization: perNode(rateOf('cpu'), () => 1),
  nodeNicBandwidth: rateOf('received', 'transmitted'),
  nodeNicReceivedBandwidth: rateOf('received'),
  nodeNicTransmittedBandwidth: rateOf('transmitted'),
  nodeNicUtilization: nicUtilization('received', 'transmitted'),
  nodeNicReceivedUtilization: nicUtilization('received'),
  nodeNicTransmittedUtilization: nicUtilization('transmitted'),

  transactionReadLatency: latencyIn('read'),
  transactionWriteLatency: latencyIn('write'),
  transactionReadBandwidth: rateOf('readSize'),
  transactionWriteBandwidth: rateOf('writeSize'),
  transactionReadTransactionsPerSec: transactionRate('read'),
  transactionWriteTransactionsPerSec: transactionRate('write'),

  diskReadBandwidthTotal: rateOf(...PURPOSES.map((purpose) => `read${purpose}` as const)),
  diskWriteBandwidthTotal: rateOf(...PURPOSES.map((purpose) => `write${purpose}` as const)),
  ...DISK_RATES,
} as const satisfies Partial<Record<AttributeName, Rate>>
export type RateName = keyof typeof RATES

export function isRate(name: AttributeName): name is RateName {
  return Object.hasOwn(RATES, name)
}
