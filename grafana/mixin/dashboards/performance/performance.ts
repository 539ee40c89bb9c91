import { promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { perNode } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import type { DashboardSpec } from '../../sdk/dashboard.ts'
import { lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { GRAFANA, THRESHOLDS } from '../../settings.ts'
import { diskReadShare } from '../common/disk_read_share.ts'
import { topNodeLatency } from '../common/latency.ts'
import { topNodes, topPools } from '../common/lines.ts'
import { NO_DATA, NO_RECORDED_DATA, poolData } from '../common/pool_data.ts'
import { bandwidthNow, latencyNow, transactionsNow } from '../common/service_now.ts'
import {
  bandwidth,
  comparedLatency,
  comparedTransactions,
  objectSize,
  spread,
  topPoolLatency,
  transactions,
} from './service.ts'

const topRatio = (
  title: string,
  metric: MetricName,
  limit: keyof typeof THRESHOLDS,
  what: string,
): SizedPanel =>
  topNodes({
    title,
    shows: `${what} on the nodes where it was highest in the last three hours of the time range.`,
    normal: 'Below the dashed thresholds and similar on the nodes of a pool.',
    otherwise:
      'Nodes above a threshold are the bottleneck. One node alone points to the load balancer or to background work.',
    expr: perNode(select(metric, ...SCOPE.node)),
    unit: 'percentunit',
    steps: lineSteps(THRESHOLDS[limit]),
    limits: true,
    noValue: NO_DATA,
  })

const background = diskReadShare('purpose!="user"', {
  title: 'Top $topn pools: background disk reads',
  shows:
    'Share of disk reads that serve recovery, erasure coding, checks and replication instead of users, of the pools where it is largest.',
  normal: 'A steady share, less under load.',
  otherwise:
    'A sudden increase together with latency is a rebuild: the disks dashboard shows its purpose and start.',
})

const diskTotals = topPools({
  title: 'Top $topn pools by disk traffic',
  shows: 'Bytes per second read from and written to the disks, for all purposes, of the pools with the most.',
  normal: 'More than the bandwidth of transactions: copies, erasure coding and checks are included.',
  otherwise: 'A constant maximum is the limit of the disks: see the disks dashboard for the purposes.',
  expr: promql`(${recorded(RECORDED.diskReads, SCOPE.pool)} + ${recorded(RECORDED.diskWrites, SCOPE.pool)})`,
  unit: 'Bps',
  noValue: NO_RECORDED_DATA,
})

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
