import type { Coverage, FeedReading, NodeReading } from '../api/feed/feed.ts'
import type { Forecast, TransactionErrors } from '../api/feed/snapshots.ts'
import type { MergedNode, MergedReading } from '../api/query/merge.ts'
import {
  ATTRIBUTES,
  type AttributeName,
  type Category,
  type CoverageAttribute,
  DISK_COUNTS,
  HEALTH_STATES,
  TRANSACTION_ERRORS,
  UNITS,
} from '../catalogue.ts'
import { boundedName } from '../values/names.ts'
import { type AddSample, createPartBuilder, labelText, type Part } from './lines.ts'

/** The newest `t` of each category, in seconds since the epoch by the uncorrected clock of the system. */
export function newestTimes({ values, errors }: NodeReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  const see = (category: Category, t: number | undefined) => {
    if (t !== undefined) newest.set(category, Math.max(t, newest.get(category) ?? 0))
  }
  for (const { name, category } of ATTRIBUTES) see(category, values.get(name)?.t)
  if (errors === undefined) return newest
  see(TRANSACTION_ERRORS.category, errors.all?.t)
  for (const { rate } of errors.types) see(TRANSACTION_ERRORS.category, rate?.t)
  return newest
}

export function baseValue({ values }: Pick<MergedNode, 'values'>, name: AttributeName): number | undefined {
  return values.get(name)?.value
}

type Optional = number | null | undefined

/** Undefined: no value is known. */
export function sumOfKnown(values: readonly Optional[]): number | undefined {
  let sum: number | undefined
  for (const value of values) if (typeof value === 'number') sum = (sum ?? 0) + value
  return sum
}

/** Part of a whole, 0 to 1; undefined if one of them is not known or the whole is 0. */
export function ratioOf(part: Optional, whole: Optional): number | undefined {
  return typeof part !== 'number' || typeof whole !== 'number' || whole <= 0 ? undefined : part / whole
}

/** Where a node is, and what runs on it. */
export type NodeHardware = Readonly<Partial<Record<'rack' | 'address' | 'version', string | undefined>>>

export type FindHardware = (node: {
  readonly id: string
  readonly name: string | undefined
}) => NodeHardware | undefined

export interface PoolLabels {
  readonly system: string
  readonly poolId: string
  /** The name of the pool, or its id if the name is missing or not unique in the system. */
  readonly pool: string
  /** Hardware of the nodes; undefined: unknown. */
  readonly hardwareOf?: FindHardware
}

/** A unique label: the name, or the id if the name is missing, not unique, or the id of another one. */
export function uniqueNames(
  things: readonly { readonly id: string; readonly name: string | undefined }[],
): string[] {
  const uses = new Map<string | undefined, number>()
  for (const { name } of things) uses.set(name, (uses.get(name) ?? 0) + 1)
  const ids = new Set(things.map(({ id }) => id))
  return things.map(({ id, name }) => {
    const isUsable = name !== undefined && name !== '' && uses.get(name) === 1 && !ids.has(name)
    return isUsable ? name : id
  })
}

/** Attributes with the end of their label text, rendered once. */
const ATTRIBUTE_TAILS = ATTRIBUTES.map((attribute) => ({
  ...attribute,
  tail: Object.keys(attribute.labels).length === 0 ? '' : `,${labelText(attribute.labels)}`,
}))

const HEALTH_TAILS = HEALTH_STATES.map((status) => ({ status, tail: `,${labelText({ status })}` }))

/**
 * The samples of all nodes of one poll, in base units. Absent attributes give none.
 * @returns undefined if the lines have more than `maxBytes`
 */
export function renderNodes(
  { nodes }: Pick<MergedReading, 'nodes'>,
  labels: PoolLabels,
  maxBytes = Number.POSITIVE_INFINITY,
): Part | undefined {
  const { add, bytes, part } = createPartBuilder()
  const names = uniqueNames(nodes)
  for (const [index, node] of nodes.entries()) {
    addNode(add, node, names[index] ?? node.id, labels)
    if (bytes() > maxBytes) return undefined
  }
  return part()
}

function addNode(
  add: AddSample,
  node: MergedNode,
  name: string,
  { system, pool, poolId, hardwareOf }: PoolLabels,
): void {
  const base = labelText({ system, pool, node: name })
  const { rack, address } = hardwareOf?.(node) ?? {}
  // What is unknown has no label, which is the same as an empty one.
  const place = { ...(rack !== undefined && { rack }), ...(address !== undefined && { address }) }
  addIdentity(add, base, node, { poolId, ...place })
  for (const { name, family, tail } of ATTRIBUTE_TAILS) add(family, base, node.values.get(name)?.value, tail)
  if (node.errors !== undefined) addErrors(add, base, node.errors)
  addLatencies(add, base, node)
  addInterfaces(add, base, node)
  for (const [category, t] of newestTimes(node))
    add('sds_node_sample_timestamp_seconds', base, t, `,category="${category}"`)
}

const DISK_TAILS = Object.entries(DISK_COUNTS).map(([key, status]) => {
  return { key: key as keyof typeof DISK_COUNTS, tail: `,${labelText({ status })}` }
})

function addIdentity(
  add: AddSample,
  base: string,
  node: NodeReading,
  { poolId, ...place }: Readonly<Record<string, string>> & { readonly poolId: string },
): void {
  const { id, apiChange = '', health } = node
  const identity = labelText({ node_id: id, pool_id: poolId, api_change: apiChange, ...place })
  add('sds_node_info', base, 1, `,${identity}`)
  if (health !== undefined) {
    for (const { status, tail } of HEALTH_TAILS)
      add('sds_node_health_status', base, status === health ? 1 : 0, tail)
    if (!HEALTH_TAILS.some(({ status }) => status === health))
      add('sds_node_health_status', base, 1, `,${labelText({ status: health })}`)
  }
  add('sds_node_disks', base, node.disks.numDisks)
  for (const { key, tail } of DISK_TAILS) add('sds_node_disks_by_status', base, node.disks[key], tail)
}

function addErrors(add: AddSample, base: string, errors: TransactionErrors): void {
  add('sds_node_transaction_errors_ratio', base, errors.all?.value)
  add('sds_node_transactions_succeeded', base, errors.succeeded)
  add('sds_node_transactions_failed', base, errors.failed)
  for (const { category, errorType, count, rate } of errors.types) {
    const type = `,${labelText({ category, error_type: errorType })}`
    add('sds_node_transaction_errors_by_type', base, count, type)
    add('sds_node_transaction_errors_by_type_ratio', base, rate?.value, type)
  }
}

function addLatencies(add: AddSample, base: string, { latencies }: MergedNode): void {
  for (const [operation, { buckets }] of latencies ?? [])
    for (const { seconds, count } of buckets) {
      const bucket = `,operation="${operation}",le="${boundText(seconds)}"`
      add('sds_node_transaction_latency_seconds_bucket', base, count, bucket)
    }
}

const BOUND_DIGITS = 12

/** The label `le`: without the noise of floating point; as in OpenMetrics, whole numbers have a decimal. */
export function boundText(seconds: number): string {
  if (seconds === Number.POSITIVE_INFINITY) return '+Inf'
  const rounded = Number(seconds.toPrecision(BOUND_DIGITS))
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded)
}

function addInterfaces(add: AddSample, base: string, { interfaces }: MergedNode): void {
  for (const { name, receivedBytesPerSecond, transmittedBytesPerSecond } of interfaces ?? []) {
    const port = `,${labelText({ interface: boundedName(name) })}`
    add('sds_node_nic_interface_received_bytes_per_second', base, receivedBytesPerSecond, port)
    add('sds_node_nic_interface_transmitted_bytes_per_second', base, transmittedBytesPerSecond, port)
  }
}

/** The forecasts of one pool, without nodes that have left since: forecasts are read less often. */
export function addForecasts(
  add: AddSample,
  reading: Pick<FeedReading, 'nodes'>,
  forecasts: ReadonlyMap<string, readonly Forecast[]>,
  { system, pool }: PoolLabels,
): void {
  const names = uniqueNames(reading.nodes)
  for (const [index, { id }] of reading.nodes.entries()) {
    const base = labelText({ system, pool, node: names[index] ?? id })
    for (const { historyDays, targetPercent, days } of forecasts.get(id) ?? []) {
      const frame = `,${labelText({ history_days: historyDays, target_percent: targetPercent })}`
      add('sds_node_capacity_forecast_available', base, days === undefined ? 0 : 1, frame)
      add('sds_node_capacity_forecast_seconds', base, days && UNITS.day.toBase(days), frame)
    }
  }
}

export function poolLabelText({ system, pool, poolId }: PoolLabels): string {
  return labelText({ system, pool, pool_id: poolId })
}

/**
 * Number of nodes by attribute and state.
 * @param queried the attributes whose source is the Flux API
 */
export function addCoverage(
  add: AddSample,
  coverage: ReadonlyMap<CoverageAttribute, Readonly<Coverage>>,
  labels: PoolLabels,
  queried: ReadonlySet<CoverageAttribute>,
): void {
  const base = poolLabelText(labels)
  for (const [attribute, counts] of coverage) {
    const source = queried.has(attribute) ? 'query' : 'feed'
    for (const [state, count] of Object.entries(counts))
      if (state === 'served' || count > 0)
        add('sds_pool_attribute_nodes', base, count, `,${labelText({ attribute, state, source })}`)
  }
}
