import { promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { perNode } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { THRESHOLDS } from '../../settings.ts'
import { diskReadShare } from '../common/disk_read_share.ts'
import { topNodes, topPools } from '../common/lines.ts'
import { NO_DATA, NO_RECORDED_DATA } from '../common/pool_data.ts'

export const topRatio = (
  title: string,
  metric: MetricName,
  limit: keyof typeof THRESHOLDS,
  what: string,
): SizedPanel =>
  topNodes({
    title,
    about: [
      `${what} on the nodes where it was highest in the last three hours of the time range.`,
      'Below the dashed thresholds and similar on the nodes of a pool.',
      'Nodes above a threshold are the bottleneck. One node alone points to the load balancer or to background work.',
    ],
    expr: perNode(select(metric, ...SCOPE.node)),
    unit: 'percentunit',
    steps: lineSteps(THRESHOLDS[limit]),
    limits: true,
    noValue: NO_DATA,
  })

export const background = diskReadShare('purpose!="user"', {
  title: 'Top $topn pools: background disk reads',
  about: [
    'Share of disk reads that serve recovery, erasure coding, checks and replication instead of users, of the pools where it is largest.',
    'A steady share, less under load.',
    'A sudden increase together with latency is a rebuild: the disks dashboard shows its purpose and start.',
  ],
})

export const diskTotals = topPools({
  title: 'Top $topn pools by disk traffic',
  about: [
    'Bytes per second read from and written to the disks, for all purposes, of the pools with the most.',
    'More than the bandwidth of transactions: copies, erasure coding and checks are included.',
    'A constant maximum is the limit of the disks: see the disks dashboard for the purposes.',
  ],
  expr: promql`(${recorded(RECORDED.diskReads, SCOPE.pool)} + ${recorded(RECORDED.diskWrites, SCOPE.pool)})`,
  unit: 'Bps',
  noValue: NO_RECORDED_DATA,
})
