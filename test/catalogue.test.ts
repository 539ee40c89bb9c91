import { describe, expect, test } from 'vitest'
import { ATTRIBUTES, NODE_FAMILIES, UNITS } from '../src/catalogue.ts'

/**
 * Typed by hand from the API document, "Node metric attributes": name, category, value tag, unit. The last two names
 * have the suffix `Current` in the document, because they have no history.
 */
const DOCUMENTED: readonly (readonly [name: string, category: string, tag: string, unit: string])[] = [
  ['diskSpaceTotal', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceAllocated', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceAllocatedL1', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceAllocatedL2', 'capacity', 'Space', 'Bytes'],
  // The document has the unit Bytes here, which contradicts the value tag.
  ['diskSpaceAllocatedPercentage', 'capacity', 'Percent', 'Percent'],
  ['diskSpaceFree', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceFreeL1', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceFreeL2', 'capacity', 'Space', 'Bytes'],
  ['nodeCpuUtilization', 'health', 'Percent', 'Percent'],
  ['nodeMemoryUtilizationBytes', 'health', 'Bytes', 'Bytes'],
  ['nodeMemoryUtilization', 'health', 'Percent', 'Percent'],
  ['nodeNicBandwidth', 'health', 'Bandwidth', 'MB/s'],
  ['nodeNicReceivedBandwidth', 'health', 'Bandwidth', 'MB/s'],
  ['nodeNicTransmittedBandwidth', 'health', 'Bandwidth', 'MB/s'],
  ['nodeNicUtilization', 'health', 'Percent', 'Percent'],
  ['nodeNicReceivedUtilization', 'health', 'Percent', 'Percent'],
  ['nodeNicTransmittedUtilization', 'health', 'Percent', 'Percent'],
  ['transactionReadLatency', 'traffic', 'Latency', 'ms'],
  ['transactionWriteLatency', 'traffic', 'Latency', 'ms'],
  ['transactionReadBandwidth', 'traffic', 'Bandwidth', 'MB/s'],
  ['transactionWriteBandwidth', 'traffic', 'Bandwidth', 'MB/s'],
  ['transactionReadTransactionsPerSec', 'traffic', 'TPS', 'TPS'],
  ['transactionWriteTransactionsPerSec', 'traffic', 'TPS', 'TPS'],
  ['diskReadBandwidthTotal', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthTotal', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthEc', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthEc', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthCc', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthCc', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthRecovery', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthRecovery', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthGeo', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthGeo', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthUser', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthUser', 'diskIO', 'diskIO', 'MB/s'],
  ['diskReadBandwidthXor', 'diskIO', 'diskIO', 'MB/s'],
  ['diskWriteBandwidthXor', 'diskIO', 'diskIO', 'MB/s'],
  ['diskSpaceOfflineTotal', 'capacity', 'Space', 'Bytes'],
  ['diskSpaceReserved', 'capacity', 'Space', 'Bytes'],
]

const CURRENT_ONLY = ['diskSpaceOfflineTotal', 'diskSpaceReserved']

/** Typed by hand: the metric of each attribute. Names and labels are part of the public interface. */
const EXPORTED: Readonly<Record<string, string>> = {
  diskSpaceTotal: 'sds_node_disk_space_total_bytes',
  diskSpaceAllocated: 'sds_node_disk_space_allocated_bytes',
  diskSpaceFree: 'sds_node_disk_space_free_bytes',
  diskSpaceOfflineTotal: 'sds_node_disk_space_offline_bytes',
  diskSpaceReserved: 'sds_node_disk_space_reserved_bytes',
  diskSpaceAllocatedL1: 'sds_node_disk_space_allocated_level_bytes{level="L1"}',
  diskSpaceAllocatedL2: 'sds_node_disk_space_allocated_level_bytes{level="L2"}',
  diskSpaceFreeL1: 'sds_node_disk_space_free_level_bytes{level="L1"}',
  diskSpaceFreeL2: 'sds_node_disk_space_free_level_bytes{level="L2"}',
  diskSpaceAllocatedPercentage: 'sds_node_disk_space_allocated_ratio',
  nodeCpuUtilization: 'sds_node_cpu_utilization_ratio',
  nodeMemoryUtilizationBytes: 'sds_node_memory_used_bytes',
  nodeMemoryUtilization: 'sds_node_memory_utilization_ratio',
  nodeNicBandwidth: 'sds_node_nic_bytes_per_second',
  nodeNicReceivedBandwidth: 'sds_node_nic_received_bytes_per_second',
  nodeNicTransmittedBandwidth: 'sds_node_nic_transmitted_bytes_per_second',
  nodeNicUtilization: 'sds_node_nic_utilization_ratio',
  nodeNicReceivedUtilization: 'sds_node_nic_received_utilization_ratio',
  nodeNicTransmittedUtilization: 'sds_node_nic_transmitted_utilization_ratio',
  transactionReadLatency: 'sds_node_transaction_read_latency_seconds',
  transactionWriteLatency: 'sds_node_transaction_write_latency_seconds',
  transactionReadBandwidth: 'sds_node_transaction_read_bytes_per_second',
  transactionWriteBandwidth: 'sds_node_transaction_write_bytes_per_second',
  transactionReadTransactionsPerSec: 'sds_node_transaction_reads_per_second',
  transactionWriteTransactionsPerSec: 'sds_node_transaction_writes_per_second',
  diskReadBandwidthTotal: 'sds_node_disk_read_bytes_per_second',
  diskWriteBandwidthTotal: 'sds_node_disk_write_bytes_per_second',
  diskReadBandwidthEc: 'sds_node_disk_read_purpose_bytes_per_second{purpose="erasure_coding"}',
  diskReadBandwidthCc: 'sds_node_disk_read_purpose_bytes_per_second{purpose="consistency_check"}',
  diskReadBandwidthRecovery: 'sds_node_disk_read_purpose_bytes_per_second{purpose="recovery"}',
  diskReadBandwidthGeo: 'sds_node_disk_read_purpose_bytes_per_second{purpose="geo_replication"}',
  diskReadBandwidthUser: 'sds_node_disk_read_purpose_bytes_per_second{purpose="user"}',
  diskReadBandwidthXor: 'sds_node_disk_read_purpose_bytes_per_second{purpose="xor"}',
  diskWriteBandwidthEc: 'sds_node_disk_write_purpose_bytes_per_second{purpose="erasure_coding"}',
  diskWriteBandwidthCc: 'sds_node_disk_write_purpose_bytes_per_second{purpose="consistency_check"}',
  diskWriteBandwidthRecovery: 'sds_node_disk_write_purpose_bytes_per_second{purpose="recovery"}',
  diskWriteBandwidthGeo: 'sds_node_disk_write_purpose_bytes_per_second{purpose="geo_replication"}',
  diskWriteBandwidthUser: 'sds_node_disk_write_purpose_bytes_per_second{purpose="user"}',
  diskWriteBandwidthXor: 'sds_node_disk_write_purpose_bytes_per_second{purpose="xor"}',
}

/** Typed by hand: the families without a flat attribute, with the labels after system, pool and node. */
const OTHER_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  sds_node_info: ['node_id', 'pool_id', 'api_change', 'rack', 'address'],
  sds_node_health_status: ['status'],
  sds_node_disks: [],
  sds_node_disks_by_status: ['status'],
  sds_node_transaction_errors_ratio: [],
  sds_node_transactions_succeeded: [],
  sds_node_transactions_failed: [],
  sds_node_transaction_errors_by_type: ['category', 'error_type'],
  sds_node_transaction_errors_by_type_ratio: ['category', 'error_type'],
  sds_node_capacity_forecast_seconds: ['history_days', 'target_percent'],
  sds_node_capacity_forecast_available: ['history_days', 'target_percent'],
  sds_node_sample_timestamp_seconds: ['category'],
  sds_node_transaction_latency_seconds: ['operation'],
  sds_node_nic_interface_received_bytes_per_second: ['interface'],
  sds_node_nic_interface_transmitted_bytes_per_second: ['interface'],
}

const series = (family: string, labels: Readonly<Record<string, string>>) => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return pairs.length === 0 ? family : `${family}{${pairs.join(',')}}`
}

describe('the table of attributes', () => {
  test('has the attributes of the document, each with its category, value tag and unit', () => {
    const rows = ATTRIBUTES.map(({ name, category, tag, unit }) => [name, category, tag, unit])
    expect(rows).toEqual(expect.arrayContaining([...DOCUMENTED]))
  })

  test('marks the attributes without history', () => {
    const names = ATTRIBUTES.filter(({ currentOnly }) => currentOnly).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(CURRENT_ONLY))
  })

  test('maps each attribute to its metric and labels', () => {
    const found = ATTRIBUTES.map(({ name, family, labels }) => [name, series(family, labels)])
    expect(Object.fromEntries(found)).toMatchObject(EXPORTED)
  })
})

describe('the families', () => {
  test('are those of the flat attributes and the other families, without duplicates', () => {
    const ofAttributes = Object.values(EXPORTED).map((metric) => metric.replace(/\{.*/, ''))
    const expected = new Set([...ofAttributes, ...Object.keys(OTHER_FAMILIES)])
    const names = NODE_FAMILIES.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...expected]))
    expect(names).toHaveLength(new Set(names).size)
  })

  test('have the labels of their series', () => {
    const labelsOf = Object.fromEntries(NODE_FAMILIES.map(({ name, labels }) => [name, labels]))
    expect(labelsOf).toMatchObject(OTHER_FAMILIES)
    const fromAttributes = Object.values(EXPORTED).map((metric) => {
      const [, family = metric, label] = /^(\w+)\{(\w+)=/.exec(metric) ?? []
      return [family, label === undefined ? [] : [label]] as const
    })
    expect(labelsOf).toMatchObject(Object.fromEntries(fromAttributes))
  })

  test.each(NODE_FAMILIES)('HELP of $name names its source', ({ help }) => {
    expect(help).toMatch(/ Source: \S.* \([\w ]+, [\w/]+\)\.$/)
  })
})

test.each([
  ['Bytes', 5, 5],
  ['Percent', 7, 0.07],
  ['MB/s', 1.5, 1_500_000],
  ['kB/s', 1.5, 1500],
  ['B/s', 1.5, 1.5],
  ['ms', 12, 0.012],
  ['TPS', 3, 3],
  ['day', 2, 172_800],
  ['count', 4, 4],
] as const)('%s: %d becomes %d', (unit, value, base) => {
  expect(UNITS[unit].toBase(value)).toBe(base)
})
