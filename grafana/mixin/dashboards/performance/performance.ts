import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { topNodeLatency } from '../common/latency.ts'
import { poolData } from '../common/pool_data.ts'
import { bandwidthNow, latencyNow, transactionsNow } from '../common/service_now.ts'
import { background, diskTotals, topRatio } from './causes.ts'
import {
  bandwidth,
  comparedLatency,
  comparedTransactions,
  objectSize,
  spread,
  topPoolLatency,
  transactions,
} from './service.ts'

export const performance: DashboardSpec = {
  name: 'performance',
  title: 'Storage / Performance',
  question: 'Is the service slow, where, and is the cause load or a faulty node?',
  variables: ['datasource', 'cluster', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Service level',
      panels: [
        poolData(['resources', 'transactions', 'diskTraffic']),
        latencyNow(8),
        transactionsNow(8),
        bandwidthNow(8),
        spread('read'),
        spread('write'),
      ],
    },
    {
      title: 'Against the day and the week before',
      panels: [comparedTransactions, comparedLatency('read'), comparedLatency('write')],
    },
    {
      title: 'Where',
      panels: [
        topPoolLatency('read'),
        topPoolLatency('write'),
        topNodeLatency('read'),
        topNodeLatency('write'),
        transactions,
        bandwidth,
        objectSize('read'),
        objectSize('write'),
      ],
    },
    {
      title: 'Why: saturation and background work',
      panels: [
        topRatio(
          'Top $topn nodes by CPU',
          'sds_node_cpu_utilization_ratio',
          'cpuRatio',
          'Share of CPU time in use',
        ),
        topRatio(
          'Top $topn nodes by memory',
          'sds_node_memory_utilization_ratio',
          'memoryRatio',
          'Memory in use without buffers and cache, relative to all memory',
        ),
        topRatio(
          'Top $topn nodes by NIC receive',
          'sds_node_nic_received_utilization_ratio',
          'nicRatio',
          'Received data relative to the capacity of the network interfaces',
        ),
        topRatio(
          'Top $topn nodes by NIC transmit',
          'sds_node_nic_transmitted_utilization_ratio',
          'nicRatio',
          'Transmitted data relative to the capacity of the network interfaces',
        ),
        background,
        diskTotals,
      ],
    },
  ],
}
