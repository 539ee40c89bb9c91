import { seriesToNode, seriesToPool } from '../../grafana/links.ts'
import { type SizedPanel, steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { topNodes } from '../../promql/nodes.ts'
import { perNode, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { THRESHOLDS } from '../../settings.ts'
import { diskReadShare } from '../common/disk_read_share.ts'
import { NO_DATA } from '../common/served_attributes.ts'
import { OPERATIONS } from './queries.ts'

export const topRatio = (
  title: string,
  metric: MetricName,
  limit: keyof typeof THRESHOLDS,
  what: string,
): SizedPanel =>
  timeSeries({
    title,
    about: [
      `${what} on the nodes where it was highest in the last three hours of the time range.`,
      'Below the dashed thresholds and similar on the nodes of a pool.',
      'Nodes above a threshold are the bottleneck. One node alone points to the load balancer or to background work.',
    ],
    queries: [{ expr: topNodes(metric), legend: '{{system}} / {{pool}} / {{node}}' }],
    unit: 'percentunit',
    steps: steps(THRESHOLDS[limit]),
    limits: true,
    many: true,
    noValue: NO_DATA,
    links: [seriesToNode],
    width: 8,
  })

export const background = diskReadShare('purpose!="user"', {
  title: 'Background share of disk reads',
  about: [
    'Share of disk reads that serve recovery, erasure coding, checks and replication instead of users, by pool.',
    'A steady share, less under load.',
    'A sudden increase together with latency is a rebuild: the disks dashboard shows its purpose and start.',
  ],
})

export const diskTotals = timeSeries({
  title: 'Disk traffic',
  about: [
    'Bytes per second read from and written to the disks of each pool, for all purposes.',
    'More than the bandwidth of transactions: copies, erasure coding and checks are included.',
    'A constant maximum is the limit of the disks: see the disks dashboard for the purposes.',
  ],
  queries: OPERATIONS.map((operation) => ({
    expr: sumByPool(perNode(select(`sds_node_disk_${operation}_bytes_per_second`, ...SCOPE.node))),
    legend: `{{system}} / {{pool}} ${operation}s`,
  })),
  unit: 'Bps',
  min: 0,
  noValue: NO_DATA,
  links: [seriesToPool],
  width: 12,
})
