import type { MergedNode } from '../api/query/merge.ts'
import type { AttributeName, DiskCount, HEALTH_STATES } from '../catalogue.ts'
import { baseValue, type NodeHardware, newestTimes, ratioOf } from '../metrics/samples.ts'
import { largest } from '../values/largest.ts'
import { SEVERITIES, type Severity } from './states.ts'

/** The thresholds of the dashboards. */
const NEARLY_FULL_RATIO = 0.8
export const FULL_RATIO = 0.9
/** Severities from these thresholds on; those of a pool are those of its alerts. */
const FULLNESS = { node: ['notice', 'warning'], pool: ['warning', 'critical'] } as const

export function fullnessSeverity(of: keyof typeof FULLNESS, ratio: number): Severity {
  const [nearlyFull, full] = FULLNESS[of]
  return ratio >= FULL_RATIO ? full : ratio >= NEARLY_FULL_RATIO ? nearlyFull : 'ok'
}

/** The severity of a state of a node; of others it is a warning, as that of their alerts. */
const HEALTH_SEVERITY: ReadonlyMap<string, Severity> = new Map<(typeof HEALTH_STATES)[number], Severity>([
  ['Good', 'ok'],
  ['Maintenance', 'notice'],
  ['Bad', 'critical'],
])

export function healthSeverity(health: string): Severity {
  return HEALTH_SEVERITY.get(health) ?? 'warning'
}

/** Disks of a node, or of several nodes together. Null: not served. */
export const DISK_MEMBERS = {
  disks: 'numDisks',
  disks_good: 'numGoodDisks',
  disks_bad: 'numBadDisks',
  disks_maintenance: 'numMaintenanceDisks',
  disks_ready_to_replace: 'numReadyToReplaceDisks',
} as const satisfies Record<string, DiskCount>
export type DiskFigures = Readonly<Record<keyof typeof DISK_MEMBERS, number | null>>

export type NodeStatus = ReturnType<typeof nodeStatus>

export function nodeStatus(node: MergedNode, name: string, hardware?: NodeHardware) {
  const value = (name: AttributeName) => baseValue(node, name) ?? null
  const counts = Object.entries(DISK_MEMBERS).map(([member, count]) => [member, node.disks[count] ?? null])
  const disks: DiskFigures = Object.fromEntries(counts)
  const [allocated, total] = [value('diskSpaceAllocated'), value('diskSpaceTotal')]
  const ratio = ratioOf(allocated, total) ?? value('diskSpaceAllocatedPercentage')
  const busierDirection = largest([
    baseValue(node, 'nodeNicReceivedUtilization'),
    baseValue(node, 'nodeNicTransmittedUtilization'),
  ])
  return {
    id: node.id,
    name,
    health: node.health ?? null,
    rack: hardware?.rack ?? null,
    address: hardware?.address ?? null,
    software_version: hardware?.version ?? null,
    ...disks,
    disk_space_total_bytes: total,
    disk_space_allocated_bytes: allocated,
    disk_space_allocated_ratio: ratio,
    cpu_utilization_ratio: value('nodeCpuUtilization'),
    memory_utilization_ratio: value('nodeMemoryUtilization'),
    network_utilization_ratio: busierDirection ?? null,
    failed_transactions_ratio: node.errors?.all?.value ?? null,
    read_latency_seconds: value('transactionReadLatency'),
    write_latency_seconds: value('transactionWriteLatency'),
    /** By the clock of the system. */
    newest_sample_timestamp_seconds: largest(newestTimes(node).values()) ?? null,
    severity: worstSeverity([
      node.health === undefined ? 'ok' : healthSeverity(node.health),
      fullnessSeverity('node', ratio ?? 0),
      (disks.disks_bad ?? 0) > 0 ? 'warning' : 'ok',
      (disks.disks_maintenance ?? 0) + (disks.disks_ready_to_replace ?? 0) > 0 ? 'notice' : 'ok',
    ]),
  }
}

function worstSeverity(severities: readonly Severity[]): Severity {
  return SEVERITIES[Math.max(...severities.map((severity) => SEVERITIES.indexOf(severity)))] ?? 'ok'
}

/** The worst first, then by name, with numbers in names by their value. */
export function worstFirst(nodes: readonly NodeStatus[]): NodeStatus[] {
  const keyed = nodes.map((node) => ({ node, key: sortKey(node) }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return keyed.map(({ node }) => node)
}

/** Digits of the longest number in a name that is compared by its value. */
const PADDED_DIGITS = 12

/** Keys instead of Intl.Collator, which takes 50 ms for 5,000 nodes. */
function sortKey({ severity, name }: NodeStatus): string {
  const rank = SEVERITIES.length - SEVERITIES.indexOf(severity)
  return `${rank} ${name.replace(/\d+/g, (digits) => digits.padStart(PADDED_DIGITS, '0')).toLowerCase()}`
}
