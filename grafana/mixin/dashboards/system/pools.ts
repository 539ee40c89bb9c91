import { shifted } from '../../promql/duration.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import { age, by, dedup, ratio, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToPool } from '../../sdk/links.ts'
import { ENABLED_CELLS } from '../../sdk/mappings.ts'
import { from } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { POOL_KEY } from '../../settings.ts'
import { SAMPLE_INTERVAL, topPools } from '../common/lines.ts'
import { NOT_READ } from '../common/resource_data.ts'
import {
  CODED,
  GARBAGE_PENDING,
  GARBAGE_RECLAIMED,
  GARBAGE_UNRECLAIMABLE,
  ofPool,
  sumOfPool,
  TO_CODE,
} from './queries.ts'

const notGood = (all: Expression, good: Expression): Expression => promql`${all} - ${good}`

/** Nodes of the statuses that pools count, which may be fewer than all. */
const NODES = sumOfPool('sds_pool_nodes_by_status', 'status', 'status!="Good"')

export const pools = table({
  title: 'Pools',
  shows:
    'What the systems report about each selected pool: nodes that are Bad or in maintenance, disks that are not Good, whether garbage collection is on for user data and system metadata, garbage that is to be reclaimed and that cannot be yet, data in bad chunks with the age of this value, and the share of the data to be erasure coded that is.',
  normal: 'No nodes and few disks, garbage collection on, nothing to recover, above 95 % coded.',
  otherwise:
    'Click a pool for its nodes. Data to recover whose age is days is the last value of a system that has nothing to recover.',
  rows: POOL_KEY,
  columns: [
    { title: 'Nodes', expr: NODES, steps: from(1, 'warning') },
    {
      title: 'Disks',
      expr: notGood(ofPool('sds_pool_disks'), ofPool('sds_pool_disks_by_status', 'status="Good"')),
      steps: from(1, 'warning'),
    },
    {
      title: 'GC',
      expr: by(
        'min',
        POOL_KEY,
        dedup([...POOL_KEY, 'scope'], select('sds_pool_garbage_collection_enabled', ...SCOPE.pool)),
      ),
      mappings: ENABLED_CELLS,
    },
    { title: 'Garbage', expr: GARBAGE_PENDING, unit: 'bytes' },
    { title: 'Partial', expr: GARBAGE_UNRECLAIMABLE, unit: 'bytes' },
    { title: 'To recover', expr: ofPool('sds_pool_recovery_bad_chunks_bytes'), unit: 'bytes' },
    {
      title: 'Age',
      expr: age(ofPool('sds_pool_sample_timestamp_seconds', 'category="recovery"')),
      unit: 's',
      decimals: 0,
    },
    { title: 'Coded', expr: ratio(CODED, TO_CODE), unit: 'percentunit' },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'To recover',
  noValue: NOT_READ,
})

const garbage = timeSeries({
  title: 'Garbage of the selected pools',
  shows:
    'Garbage of the selected pools: what is to be reclaimed, and what cannot be yet, because its chunks have valid data, too; stacked.',
  normal: 'It follows deletes and overwrites, and does not grow for days.',
  otherwise:
    'Growing “To be reclaimed”: check “GC” above, and whether nodes or sites are not available. Growing “Partial” comes from deletes of many small objects.',
  queries: [
    { expr: sum(GARBAGE_PENDING), legend: 'To be reclaimed' },
    { expr: sum(GARBAGE_UNRECLAIMABLE), legend: 'Partial' },
  ],
  unit: 'bytes',
  stacked: true,
  interval: SAMPLE_INTERVAL,
  noValue: NOT_READ,
})

const reclaimed = topPools({
  title: 'Top $topn pools by garbage reclaimed in a day',
  shows: 'Garbage that the pools have reclaimed within the day before each point.',
  normal: 'As much as is deleted and overwritten.',
  otherwise:
    '0 while garbage is pending: garbage collection is off, or waits for nodes or sites that are not available.',
  expr: promql`clamp_min(${GARBAGE_RECLAIMED} - ${shifted(GARBAGE_RECLAIMED, '1d')}, 0)`,
  unit: 'bytes',
  noValue: NOT_READ,
})

const recovery = topPools({
  title: 'Top $topn pools by data to recover',
  shows: 'Data in bad chunks, of the pools with the most.',
  normal: 'None, or falling after a disk or node failed.',
  otherwise:
    'If it does not fall, bring back nodes that are not available, and contact the support of the vendor. A constant value may be weeks old: see its age in “Pools”.',
  expr: ofPool('sds_pool_recovery_bad_chunks_bytes'),
  unit: 'bytes',
  noValue: NOT_READ,
})

const uncoded = topPools({
  title: 'Top $topn pools by data to be coded',
  shows: 'Data that is to be erasure coded and is stored as copies until then, of the pools with the most.',
  normal: 'A small part of the data. It grows during an import, and falls afterwards.',
  otherwise: 'If it does not fall, check whether enough nodes are available.',
  expr: promql`${TO_CODE} - ${CODED}`,
  unit: 'bytes',
  noValue: NOT_READ,
})

export const background = [garbage, reclaimed, recovery, uncoded] as const
