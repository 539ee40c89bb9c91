import { type AlertCase, fired } from './case.ts'
import { NODE, POOL } from './subjects.ts'

const PERFORMANCE = '/d/sds-performance?var-system=frankfurt&var-pool=pool+1'

export const NODE_PAGE = '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n1'

const READ = 'sds_node_transaction_read_latency_seconds'

const WRITE = 'sds_node_transaction_write_latency_seconds'

export const READS = 'sds_node_transaction_reads_per_second'

export const WRITES = 'sds_node_transaction_writes_per_second'

const slowRead = fired('SdsReadLatencyHigh', 'warning', 'service', POOL, {
  summary: 'A storage pool is slow to read.',
  description: 'Pool pool 1 of system frankfurt needs 250ms for a read transaction (mean of its nodes).',
  dashboard: PERFORMANCE,
})

const slowWrite = fired('SdsWriteLatencyHigh', 'warning', 'service', POOL, {
  summary: 'A storage pool is slow to write.',
  description: 'Pool pool 1 of system frankfurt needs 500ms for a write transaction (mean of its nodes).',
  dashboard: PERFORMANCE,
})

export const latencies: readonly AlertCase[] = [
  {
    alert: 'SdsReadLatencyHigh',
    name: 'fires after 15 minutes and ends 10 minutes after the recovery',
    series: {
      [READ]: '0.25x19 0.05x40',
      [READS]: '100x60',
      [`${READ}{node="idle"}`]: '9x60',
      [`${READS}{node="idle"}`]: '0x60',
    },
    at: { '14m': [], '15m': [slowRead], '29m': [slowRead], '30m': [] },
  },
  {
    alert: 'SdsReadLatencyHigh',
    name: 'weights nodes by their transactions',
    series: {
      [READ]: '1x30',
      [READS]: '10x30',
      [`${READ}{node="n2"}`]: '0.05x30',
      [`${READS}{node="n2"}`]: '90x30',
    },
    at: { '30m': [] },
  },
  {
    alert: 'SdsReadLatencyHigh',
    name: 'is silent for a pool with few transactions, without transactions, or without a rate',
    series: {
      [`${READ}{pool="quiet"}`]: '2x30',
      [`${READS}{pool="quiet"}`]: '0.9x30',
      [`${READ}{pool="idle"}`]: '2x30',
      [`${READS}{pool="idle"}`]: '0x30',
      [`${READ}{pool="modern"}`]: '2x30',
    },
    at: { '30m': [] },
  },
  {
    alert: 'SdsWriteLatencyHigh',
    name: 'fires after 15 minutes and ends 10 minutes after the recovery',
    series: { [WRITE]: '0.5x19 0.05x40', [WRITES]: '100x60' },
    at: { '14m': [], '15m': [slowWrite], '29m': [slowWrite], '30m': [] },
  },
  {
    alert: 'SdsWriteLatencyHigh',
    name: 'is silent below its threshold, and for a pool with few writes',
    series: {
      [WRITE]: '0.3x30',
      [WRITES]: '100x30',
      [READ]: '0.9x30',
      [READS]: '100x30',
      [`${WRITE}{pool="quiet"}`]: '2x30',
      [`${WRITES}{pool="quiet"}`]: '0.9x30',
    },
    at: { '30m': [] },
  },
]

const outlier = fired('SdsNodeLatencyOutlier', 'warning', 'service', NODE, {
  summary: 'A storage node is much slower than the others of its pool.',
  description:
    'Node n1 in pool pool 1 of system frankfurt needs 200ms for a read, more than 3 times the median of its pool: probably a fault of the node, not load.',
  dashboard: NODE_PAGE,
})

export const latencyOutlier: readonly AlertCase[] = [
  {
    alert: 'SdsNodeLatencyOutlier',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: {
      [READ]: '0.2x39 0.02x40',
      [READS]: '1.1x80',
      [`${READ}{node="n2"}`]: '0.05x80',
      [`${READ}{node="n3"}`]: '0.01x80',
    },
    at: { '29m': [], '30m': [outlier], '54m': [outlier], '55m': [] },
  },
  {
    alert: 'SdsNodeLatencyOutlier',
    name: 'is silent when all are slow, when all are fast, and in a pool of one node',
    series: {
      [READS]: '100x40',
      [`${READS}{pool="fast",node="n1"}`]: '100x40',
      [`${READS}{pool="single",node="n1"}`]: '100x40',
      [READ]: '0.5x40',
      [`${READ}{node="n2"}`]: '0.25x40',
      [`${READ}{node="n3"}`]: '0.2x40',
      [`${READ}{pool="fast",node="n1"}`]: '0.04x40',
      [`${READ}{pool="fast",node="n2"}`]: '0.002x40',
      [`${READ}{pool="fast",node="n3"}`]: '0.002x40',
      [`${READ}{pool="single",node="n1"}`]: '0.9x40',
    },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodeLatencyOutlier',
    name: 'is silent for a node with few reads, without reads, or without a rate',
    series: {
      [READ]: '0.9x40',
      [READS]: '0.9x40',
      [`${READ}{node="n2"}`]: '0.8x40',
      [`${READS}{node="n2"}`]: '0x40',
      [`${READ}{node="n3"}`]: '0.7x40',
      ...Object.fromEntries(
        ['n4', 'n5', 'n6', 'n7'].flatMap((node) => [
          [`${READ}{node="${node}"}`, '0.01x40'],
          [`${READS}{node="${node}"}`, '100x40'],
        ]),
      ),
    },
    at: { '40m': [] },
  },
]
