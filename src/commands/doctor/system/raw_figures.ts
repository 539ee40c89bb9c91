/** Independent of the decoder and the catalogue: names, tags and factors are repeated, to be compared. */
import { isObject, type JsonObject } from '../../../api/parse/json.ts'

export type Figure = (typeof FIGURES)[number]

export const FIGURES = (
  [
    ['numDisks', 'sds_node_disks'],
    ['numBadDisks', 'sds_node_disks_by_status', 1, { status: 'Bad' }],
    ['diskSpaceTotalCurrent', 'sds_node_disk_space_total_bytes'],
    ['diskSpaceFreeCurrent', 'sds_node_disk_space_free_bytes'],
    [
      'diskSpaceAllocatedL1Current diskSpaceAllocatedCurrentL1',
      'sds_node_disk_space_allocated_level_bytes',
      1,
      { level: 'L1' },
    ],
    ['diskSpaceAllocatedPercentageCurrent', 'sds_node_disk_space_allocated_ratio', 0.01],
    ['nodeCpuUtilizationCurrent', 'sds_node_cpu_utilization_ratio', 0.01],
    ['nodeMemoryUtilizationBytesCurrent', 'sds_node_memory_used_bytes'],
    ['nodeNicReceivedBandwidthCurrent', 'sds_node_nic_received_bytes_per_second', 'bandwidth'],
    ['transactionReadLatencyCurrent', 'sds_node_transaction_read_latency_seconds', 0.001],
    ['transactionWriteBandwidthCurrent', 'sds_node_transaction_write_bytes_per_second', 'bandwidth'],
    ['transactionWriteTransactionsPerSecCurrent', 'sds_node_transaction_writes_per_second'],
    [
      'diskReadBandwidthUserCurrent',
      'sds_node_disk_read_purpose_bytes_per_second',
      1_000_000,
      { purpose: 'user' },
    ],
    ['diskWriteBandwidthTotalCurrent', 'sds_node_disk_write_bytes_per_second', 1_000_000],
  ] as const
).map(([members, metric, factor = 1, labels = {}]) => ({
  /** Names of the attribute in the feed; the first that is found is used. */
  members: members.split(' '),
  metric,
  labels: labels as Readonly<Record<string, string>>,
  /** Converts the unit of the feed to the unit of the metric; `bandwidth`: by `performance.feed_bandwidth_unit`. */
  factor: factor as number | 'bandwidth',
}))

/** The nodes of a response by id; the last of several with the same id. */
export function rawNodes(body: unknown): Map<string, JsonObject> {
  const embedded = isObject(body) && isObject(body['_embedded']) ? body['_embedded'] : {}
  const lists = [embedded['_instances'], embedded['instances']].filter(Array.isArray)
  const nodes = (lists.find((list) => list.length > 0) ?? []).filter(isObject)
  return new Map(
    nodes.flatMap((node) => (hasId(node['id']) ? [[String(node['id']).trim(), node] as const] : [])),
  )
}

const hasId = (id: unknown): boolean => typeof id === 'number' || (typeof id === 'string' && id.trim() !== '')

/** Bytes per second. */
const BANDWIDTHS = { 'MB/s': 1_000_000, 'kB/s': 1_000, 'B/s': 1 }

/** The value of one node, in the unit of the metric; undefined if it is missing or invalid. */
export function rawFigure(
  node: JsonObject,
  { members, factor }: Figure,
  bandwidthUnit: keyof typeof BANDWIDTHS = 'MB/s',
): number | undefined {
  const scale = factor === 'bandwidth' ? BANDWIDTHS[bandwidthUnit] : factor
  for (const name of members) {
    const value = node[name]
    const number = numberOf(typeof value === 'object' ? newestValue(value) : value)
    if (number !== undefined) return number * scale
  }
  return undefined
}

function newestValue(value: unknown): unknown {
  const snapshots = (Array.isArray(value) ? value : [value]).filter(isObject).map((snapshot) => {
    const entries = Object.entries(snapshot).map(([name, content]) => [name.trim(), content] as const)
    return { t: numberOf(entries.find(([name]) => name === 't')?.[1]), value: contentOf(entries) }
  })
  const timed = snapshots.flatMap(({ t, value }) => (t === undefined ? [] : [{ t, value }]))
  return timed.toSorted((a, b) => a.t - b.t).at(-1)?.value
}

const TAGS = /^(Space|Percent|Bandwidth|Latency|TPS|diskIO|Bytes)$/

/** The member that is not the time; if there are several, the one with a documented name. */
function contentOf(entries: readonly (readonly [name: string, content: unknown])[]): unknown {
  const others = entries.filter(([name]) => name !== 't')
  return (others.length === 1 ? others[0] : others.find(([name]) => TAGS.test(name)))?.[1]
}

function numberOf(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /\d/.test(value) && !/[xob]/i.test(value)
  const number = typeof value === 'number' || isText ? Number(value) : Number.NaN
  return Number.isFinite(number) && number >= 0 ? number : undefined
}
