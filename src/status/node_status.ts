import type { MergedNode } from '../api/query/merge.ts'
import type { DiskCount, HEALTH_STATES } from '../catalogue.ts'
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

/** The utilization in the busier direction. */
function networkRatio(node: MergedNode): number | null {
  const directions = ['nodeNicReceivedUtilization', 'nodeNicTransmittedUtilization'] as const
  return largest(directions.map((name) => baseValue(node, name))) ?? null
}

type JudgedNode = DiskFigures &
  Readonly<Record<'health', string | null>> &
  Readonly<Record<'disk_space_allocated_ratio', number | null>>

function severityOf(node: JudgedNode): Severity {
  return worstSeverity([
    node.health === null ? 'ok' : healthSeverity(node.health),
    fullnessSeverity('node', node.disk_space_allocated_ratio ?? 0),
    (node.disks_bad ?? 0) > 0 ? 'warning' : 'ok',
    (node.disks_maintenance ?? 0) + (node.disks_ready_to_replace ?? 0) > 0 ? 'notice' : 'ok',
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

/** Members with a number of disks: the count of the feed, and the description for help texts and documentation. */
const DISK_MEMBERS = {
  disks: ['numDisks', 'number of disks'],
  disks_good: ['numGoodDisks', 'disks in good state'],
  disks_bad: ['numBadDisks', 'disks in bad state'],
  disks_maintenance: ['numMaintenanceDisks', 'disks in maintenance'],
  disks_ready_to_replace: ['numReadyToReplaceDisks', 'disks ready to be replaced'],
} as const satisfies Record<string, readonly [DiskCount, string]>

type DiskMember = keyof typeof DISK_MEMBERS
export const DISK_NAMES = Object.keys(DISK_MEMBERS) as readonly DiskMember[]

/** Disks of a node, or of several nodes together. Null: not served. */
export type DiskFigures = Readonly<Record<DiskMember, number | null>>

function eachDiskMember<T>(memberOf: (count: DiskCount, description: string) => T) {
  const entries = DISK_NAMES.map((name) => [name, memberOf(DISK_MEMBERS[name][0], DISK_MEMBERS[name][1])])
  return Object.fromEntries(entries) as Readonly<Record<DiskMember, T>>
}

export const DISK_FIGURES = eachDiskMember((_, description) => description)

export function diskFigures({ disks }: Pick<MergedNode, 'disks'>): DiskFigures {
  return eachDiskMember((count) => disks.get(count) ?? null)
}

/** 0 to 1: allocated / total, otherwise the percentage of the system. */
function allocatedRatio(node: Pick<MergedNode, 'values'>): number | null {
  const ratio = ratioOf(baseValue(node, 'diskSpaceAllocated'), baseValue(node, 'diskSpaceTotal'))
  return ratio ?? baseValue(node, 'diskSpaceAllocatedPercentage') ?? null
}

/** Failed transactions, 0 to 1. */
function failedRatio({ errors }: Pick<MergedNode, 'errors'>): number | null {
  return errors?.all?.value ?? null
}

/** Time of the newest sample in seconds since the epoch, by the clock of the system. */
function newestSampleTime(node: MergedNode): number | null {
  return largest(newestTimes(node).values()) ?? null
}
