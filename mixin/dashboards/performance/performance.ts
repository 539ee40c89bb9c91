import type { DashboardSpec } from '../../grafana/dashboard.ts'
import { GRAFANA } from '../../settings.ts'
import { servedAttributes } from '../common/served_attributes.ts'
import { background, diskTotals, topRatio } from './causes.ts'
import { spread, topLatency } from './nodes.ts'
import { bandwidth, latency, latencyNow, objectSize, transactions } from './service.ts'

export const performance: DashboardSpec = {
  name: 'performance',
  title: 'Storage / Performance',
  question: 'Is the service slow, where, and is the cause load or a faulty node?',
  variables: ['datasource', 'job', 'system', 'pool', 'node', 'topn'],
  from: 'now-6h',
  refresh: GRAFANA.refresh.now,
  rows: [
    {
      title: 'Service level',
      panels: [
        latencyNow,
        servedAttributes(['resources', 'transactions', 'diskTraffic'], 16),
        latency('read'),
        latency('write'),
        transactions,
        bandwidth,
        objectSize,
      ],
    },
    { title: 'Where', panels: [topLatency('read'), topLatency('write'), spread] },
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
