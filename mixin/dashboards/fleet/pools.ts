import { rowToPool, seriesToPool } from '../../grafana/links.ts'
import { HEALTH_MAPPINGS, REACHED_MAPPING } from '../../grafana/mappings.ts'
import { steps } from '../../grafana/spec.ts'
import { stateTimeline } from '../../grafana/state_timeline.ts'
import { table } from '../../grafana/table.ts'
import { select } from '../../promql/expression.ts'
import { nodeLatency } from '../../promql/latency.ts'
import { healthCode, perForecast, sampleAge, usedRatio } from '../../promql/nodes.ts'
import { by, perNode, perNodeAnd, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LIMITS, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { DISKS_TO_FIX, TARGET } from './queries.ts'

export const pools = table({
  title: 'Pools',
  about: [
    "One row per pool: health of the worst node, number of nodes, disks to repair, space, latency (mean or quantile) and errors of the worst node, and age of the data by the storage system's clock.",
    'Worst state Good, data younger than ten minutes, no yellow or red cell.',
    'Click a pool to see its nodes. Cells of latency and errors are empty when the system does not serve transactions or had none.',
  ],
  rows: ['system', 'pool'],
  columns: [
    {
      title: 'Worst state',
      expr: healthCode(POOL_KEY, SCOPE.system),
      unit: 'none',
      mappings: HEALTH_MAPPINGS,
      cell: 'background',
    },
    {
      title: 'Nodes',
      expr: by('count', POOL_KEY, perNode(select('sds_node_info', ...SCOPE.system))),
      unit: 'none',
    },
    {
      title: 'Disks to fix',
      expr: sumByPool(
        perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, DISKS_TO_FIX)),
      ),
      unit: 'none',
      steps: steps(THRESHOLDS.disksNotGood),
      cell: 'text',
    },
    {
      title: 'Used',
      expr: usedRatio(sumByPool, SCOPE.system),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.usedRatio),
      cell: 'gauge',
      width: 220,
    },
    {
      title: 'Free',
      expr: sumByPool(perNode(select('sds_node_disk_space_free_bytes', ...SCOPE.system))),
      unit: 'bytes',
    },
    {
      title: `To ${LIMITS.forecastTargetPercent} %`,
      expr: by(
        'min',
        POOL_KEY,
        perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.system, TARGET)),
      ),
      unit: 'dtdurations',
      decimals: 0,
      mappings: [REACHED_MAPPING],
      steps: steps(THRESHOLDS.forecastSeconds),
      cell: 'text',
    },
    {
      title: 'Worst read latency',
      expr: by('max', POOL_KEY, nodeLatency('read', SCOPE.system)),
      unit: 's',
      steps: steps(THRESHOLDS.latencySeconds),
      cell: 'text',
    },
    {
      title: 'Worst error ratio',
      expr: by('max', POOL_KEY, perNode(select('sds_node_transaction_errors_ratio', ...SCOPE.system))),
      unit: 'percentunit',
      decimals: 2,
      steps: steps(THRESHOLDS.errorRatio),
      cell: 'text',
    },
    {
      title: 'Data age',
      expr: sampleAge(POOL_KEY, SCOPE.system),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.sampleAgeSeconds),
      cell: 'text',
    },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Worst state',
  width: 24,
  height: 8,
})

export const poolStates = stateTimeline({
  title: 'Worst node state per pool',
  about: [
    'The health of the worst node of each pool over time. A gap is time without data.',
    'Always green.',
    'Click a band to open the pool. Short repeated bands are a node that flaps. A gap on all pools of a system is a fault of the exporter or the network.',
  ],
  queries: [{ expr: healthCode(POOL_KEY, SCOPE.system), legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  mappings: HEALTH_MAPPINGS,
  links: [seriesToPool],
  width: 12,
})
