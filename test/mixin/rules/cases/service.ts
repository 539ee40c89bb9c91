import { type AlertCase, fired } from './case.ts'

const POOL = { system: 'frankfurt', pool: 'pool 1' }
const NODE = { ...POOL, node: 'n1' }
const PERFORMANCE = '/d/sds-performance?var-system=frankfurt&var-pool=pool+1'
const ERRORS = '/d/sds-errors?var-system=frankfurt&var-pool=pool+1'
const NODE_PAGE = '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n1'

const READ = 'sds_node_transaction_read_latency_seconds'
const WRITE = 'sds_node_transaction_write_latency_seconds'
const READS = 'sds_node_transaction_reads_per_second'
const WRITES = 'sds_node_transaction_writes_per_second'

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
const latencies: readonly AlertCase[] = [
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
    name: 'weighs nodes by their transactions',
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
    name: 'is silent for a quiet pool, a pool without transactions, and one that tells no rate',
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
    name: 'bears what would be too slow for reads, and a pool with hardly any writes',
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

const FAILED = 'sds_node_transactions_failed'
const SUCCEEDED = 'sds_node_transactions_succeeded'
const BY_TYPE = 'sds_node_transaction_errors_by_type'

const anyErrors = (severity: 'critical' | 'warning', ratio: string) =>
  fired('SdsTransactionErrors', severity, 'service', POOL, {
    summary: 'Many transactions of a storage pool fail.',
    description: `Pool pool 1 of system frankfurt fails ${ratio} of its transactions, by the fault of clients or of the system.`,
    dashboard: ERRORS,
  })
const transactionErrors: readonly AlertCase[] = [
  {
    alert: 'SdsTransactionErrors',
    name: 'warns after 15 minutes and ends 10 minutes after the recovery',
    series: { [FAILED]: '20x19 0x40', [SUCCEEDED]: '980x60', [READS]: '50x60', [WRITES]: '50x60' },
    at: { '14m': [], '15m': [anyErrors('warning', '2%')], '29m': [anyErrors('warning', '2%')], '30m': [] },
  },
  {
    alert: 'SdsTransactionErrors',
    name: 'is critical after 5 minutes',
    series: { [FAILED]: '100x9 0x40', [SUCCEEDED]: '900x60', [READS]: '50x60', [WRITES]: '50x60' },
    at: { '4m': [], '5m': [anyErrors('critical', '10%')], '19m': [anyErrors('critical', '10%')], '20m': [] },
  },
  {
    alert: 'SdsTransactionErrors',
    name: 'is not yet critical at 4 %',
    series: { [FAILED]: '40x30', [SUCCEEDED]: '960x30', [READS]: '0.6x30', [WRITES]: '0.6x30' },
    at: { '5m': [], '15m': [anyErrors('warning', '4%')] },
  },
  {
    alert: 'SdsTransactionErrors',
    name: 'is silent below 1 %, for a quiet pool and without any transaction',
    series: {
      [FAILED]: '9x30',
      [SUCCEEDED]: '991x30',
      [READS]: '50x30',
      [WRITES]: '50x30',
      [`${FAILED}{pool="quiet"}`]: '1x30',
      [`${SUCCEEDED}{pool="quiet"}`]: '1x30',
      [`${READS}{pool="quiet"}`]: '0.45x30',
      [`${WRITES}{pool="quiet"}`]: '0.45x30',
      [`${FAILED}{pool="idle"}`]: '0x30',
      [`${SUCCEEDED}{pool="idle"}`]: '0x30',
    },
    at: { '5m': [], '30m': [] },
  },
]

const ownErrors = (severity: 'critical' | 'warning', ratio: string) =>
  fired('SdsSystemErrors', severity, 'service', POOL, {
    summary: 'A storage pool fails transactions by its own fault.',
    description: `Pool pool 1 of system frankfurt fails ${ratio} of its transactions with errors that are not caused by clients.`,
    dashboard: ERRORS,
  })
const systemErrors: readonly AlertCase[] = [
  {
    alert: 'SdsSystemErrors',
    name: 'warns after 15 minutes of what is left without the errors of the callers',
    series: {
      [FAILED]: '51.5x19 50x40',
      [SUCCEEDED]: '948.5x60',
      [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '50x60',
      [`${BY_TYPE}{category="System",error_type="500 (S3)"}`]: '1.5x19',
    },
    at: {
      '14m': [],
      '15m': [ownErrors('warning', '0.15%')],
      '29m': [ownErrors('warning', '0.15%')],
      '30m': [],
    },
  },
  {
    alert: 'SdsSystemErrors',
    name: 'is critical after 5 minutes, also where no types are served',
    series: { [FAILED]: '20x9 0x40', [SUCCEEDED]: '980x60' },
    at: { '4m': [], '5m': [ownErrors('critical', '2%')], '19m': [ownErrors('critical', '2%')], '20m': [] },
  },
  {
    alert: 'SdsSystemErrors',
    name: 'is not yet critical at 0.8 %',
    series: { [FAILED]: '8x30', [SUCCEEDED]: '992x30', [READS]: '0.6x30', [WRITES]: '0.6x30' },
    at: { '5m': [], '15m': [ownErrors('warning', '0.8%')] },
  },
  {
    alert: 'SdsSystemErrors',
    name: 'is silent when nearly all errors are the callers’ own, for a quiet pool and without any transaction',
    series: {
      [`${FAILED}{pool="quiet"}`]: '1x30',
      [`${SUCCEEDED}{pool="quiet"}`]: '1x30',
      [`${READS}{pool="quiet"}`]: '0.45x30',
      [`${WRITES}{pool="quiet"}`]: '0.45x30',
      [FAILED]: '300.6x30',
      [SUCCEEDED]: '699.4x30',
      [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '200x30',
      [`${BY_TYPE}{category="User",error_type="403 (S3)"}`]: '100x30',
      [`${FAILED}{pool="idle"}`]: '0x30',
      [`${SUCCEEDED}{pool="idle"}`]: '0x30',
    },
    at: { '5m': [], '30m': [] },
  },
]

const outlier = fired('SdsNodeLatencyOutlier', 'warning', 'service', NODE, {
  summary: 'A storage node is much slower than the others of its pool.',
  description:
    'Node n1 in pool pool 1 of system frankfurt needs 200ms for a read, more than 3 times the median of its pool: probably a fault of the node, not load.',
  dashboard: NODE_PAGE,
})
const latencyOutlier: readonly AlertCase[] = [
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
    name: 'is silent for a node with hardly any reads, for one without, and for one that tells no rate',
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

const busy = (alert: string, severity: 'warning' | 'info', thing: string) =>
  fired(alert, severity, 'service', NODE, {
    summary: `A storage node has little ${thing} left.`,
    description: `Node n1 in pool pool 1 of system frankfurt uses 97% of its ${thing}.`,
    dashboard: NODE_PAGE,
  })
const network = busy('SdsNodeNetworkBusy', 'warning', 'network bandwidth')
const cpu = busy('SdsNodeCpuBusy', 'info', 'CPU time')
const memory = busy('SdsNodeMemoryFull', 'info', 'memory')
const RECEIVED = 'sds_node_nic_received_utilization_ratio'
const SENT = 'sds_node_nic_transmitted_utilization_ratio'
const CPU = 'sds_node_cpu_utilization_ratio'
const MEMORY = 'sds_node_memory_utilization_ratio'

const resources: readonly AlertCase[] = [
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'fires after 30 minutes for the direction that is busy, and ends 15 minutes after the recovery',
    series: { [RECEIVED]: '0.1x80', [SENT]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [network], '54m': [network], '55m': [] },
  },
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'fires for what is received alone',
    series: { [RECEIVED]: '0.97x40' },
    at: { '30m': [network] },
  },
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'is silent for two directions that are half busy each',
    series: { [RECEIVED]: '0.5x40', [SENT]: '0.5x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodeCpuBusy',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [CPU]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [cpu], '54m': [cpu], '55m': [] },
  },
  {
    alert: 'SdsNodeCpuBusy',
    name: 'is silent for a busy node and for full memory',
    series: { [CPU]: '0.85x40', [MEMORY]: '0.97x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodeMemoryFull',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [MEMORY]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [memory], '54m': [memory], '55m': [] },
  },
  {
    alert: 'SdsNodeMemoryFull',
    name: 'is silent for well used memory and for a busy CPU',
    series: { [MEMORY]: '0.9x40', [CPU]: '0.97x40' },
    at: { '40m': [] },
  },
]

export const serviceCases: readonly AlertCase[] = [
  ...latencies,
  ...transactionErrors,
  ...systemErrors,
  ...latencyOutlier,
  ...resources,
]
