import { SECONDS_PER_DAY } from '../../../time_units.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { PROFILES } from '../../protocol/profiles.ts'
import { type Bucket, type FieldSeries, pointsBetween, type Source } from '../points/series.ts'
import { CPU_FIELDS, MEMORY_FIELDS } from './host.ts'
import { networkFields } from './network.ts'

const DT = { process: 'dtquery', tag: 'dt' } as const
const DT_STATUS = ['total', 'unready', 'unknown', 'RIS_failure', 'dump_failure'] as const
const DT_PER_NODE = 384
const DT_DELAY_SECONDS = 57

/** `monitoring_op`: gauges of the operating system of every node, counters of its network interfaces. */
export const MONITORING_OP: Bucket = {
  retentionSeconds: 5 * SECONDS_PER_DAY,
  delaySeconds: 30,
  fields: ({ profile }) => [
    ...CPU_FIELDS,
    ...MEMORY_FIELDS,
    ...networkFields(PROFILES[profile].query.network),
  ],
  series: directoryTables,
}

/** Directory tables: values of the whole system, without `host` and `node_id`. Faults make tables unready. */
function* directoryTables(source: Source): Iterable<FieldSeries> {
  const nodes = source.model.pools.flatMap((pool) => pool.nodes)
  for (const field of DT_STATUS) {
    const columns = { _field: field, _measurement: 'dtquery_dt_status', ...DT }
    const values: Readonly<Record<string, number | undefined>> = {
      total: DT_PER_NODE * nodes.length,
      unready: Number(source.settings['unready-tables'] ?? 0),
    }
    yield dtSeries(columns, values[field] ?? 0)
  }
  for (const { address } of nodes) {
    const measurement = 'dtquery_dt_dist_host_dt_node_id'
    const columns = { _field: 'count_i', _measurement: measurement, dt_node_id: address, ...DT }
    yield dtSeries(columns, DT_PER_NODE)
  }
}

function dtSeries(columns: FieldSeries['columns'], value: number): FieldSeries {
  const timeOf = (k: number) => k * STATISTICS_INTERVAL_SECONDS + DT_DELAY_SECONDS
  return { columns, type: 'long', points: pointsBetween(timeOf, () => value, 'long') }
}
