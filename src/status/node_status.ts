import type { MergedNode } from '../api/query/merge.ts'
import type { NodeHardware } from '../api/resources/hardware.ts'
import type { HEALTH_STATES } from '../catalogue.ts'
import { largest } from '../values/largest.ts'
import {
  allocatedRatio,
  baseValue,
  type DiskFigures,
  diskFigures,
  failedRatio,
  newestSampleTime,
} from './figures/node_figures.ts'
import { SEVERITIES, type Severity } from './states.ts'

/** The thresholds of the dashboards. */
export const NEARLY_FULL_RATIO = 0.8
export const FULL_RATIO = 0.9

/** The severity of a state of a node; a warning for Suspect and for an unknown state. */
const HEALTH_SEVERITY: ReadonlyMap<string, Severity> = new Map<(typeof HEALTH_STATES)[number], Severity>([
  ['Good', 'ok'],
  ['Maintenance', 'notice'],
  ['Bad', 'critical'],
  ['NotAccessible', 'critical'],
])

export function healthSeverity(health: string): Severity {
  return HEALTH_SEVERITY.get(health) ?? 'warning'
}

export type NodeStatus = ReturnType<typeof nodeStatus>

export function nodeStatus(node: MergedNode, name: string, hardware?: NodeHardware) {
  const members = {
    id: node.id,
    name,
    health: node.health ?? null,
    rack: hardware?.rack ?? null,
    address: hardware?.address ?? null,
    software_version: hardware?.version ?? null,
    ...diskFigures(node),
    disk_space_total_bytes: baseValue(node, 'diskSpaceTotal') ?? null,
    disk_space_allocated_bytes: baseValue(node, 'diskSpaceAllocated') ?? null,
    disk_space_allocated_ratio: allocatedRatio(node),
    cpu_utilization_ratio: baseValue(node, 'nodeCpuUtilization') ?? null,
    memory_utilization_ratio: baseValue(node, 'nodeMemoryUtilization') ?? null,
    network_utilization_ratio: networkRatio(node),
    failed_transactions_ratio: failedRatio(node),
    read_latency_seconds: baseValue(node, 'transactionReadLatency') ?? null,
    write_latency_seconds: baseValue(node, 'transactionWriteLatency') ?? null,
    newest_sample_timestamp_seconds: newestSampleTime(node),
  }
  return { ...members, severity: severityOf(members) }
}

/** Of the busier direction. */
function networkRatio(node: MergedNode): number | null {
  const directions = ['nodeNicReceivedUtilization', 'nodeNicTransmittedUtilization'] as const
  return largest(directions.map((name) => baseValue(node, name))) ?? null
}

type JudgedNode = DiskFigures &
  Readonly<Record<'health', string | null>> &
  Readonly<Record<'disk_space_allocated_ratio', number | null>>

function severityOf(node: JudgedNode): Severity {
  const ratio = node.disk_space_allocated_ratio ?? 0
  return worstSeverity([
    node.health === null ? 'ok' : healthSeverity(node.health),
    (node.disks_bad ?? 0) > 0 || ratio >= FULL_RATIO ? 'warning' : 'ok',
    (node.disks_maintenance ?? 0) + (node.disks_ready_to_replace ?? 0) > 0 || ratio >= NEARLY_FULL_RATIO
      ? 'notice'
      : 'ok',
  ])
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
