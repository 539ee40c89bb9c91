import { healthCode } from '../../promql/nodes.ts'
import { SCOPE } from '../../promql/scope.ts'
import { DISK_AREAS, HEALTH_MAPPINGS } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { oneEach } from './queries.ts'

const healthOverTime = stateTimeline({
  title: 'Health over time',
  about: [
    'Health of the node. A gap is time without data.',
    'Always Good.',
    'Many short changes are a node that flaps: check its network links and power supplies.',
  ],
  queries: [{ expr: healthCode(['node'], SCOPE.node), legend: '{{node}}' }],
  mappings: HEALTH_MAPPINGS,
  noValue: 'No data: see “Data”',
  rows: 'one',
  width: 24,
  height: 4,
})

const disksOverTime = timeSeries({
  title: 'Disks by state over time',
  about: [
    'Disks of the node by state, stacked.',
    'A constant number of Good disks.',
    'A disk that became Bad and later Ready to replace has been rebuilt. A disk that stays Bad has not.',
  ],
  queries: [{ expr: oneEach('status', 'sds_node_disks_by_status'), legend: '{{status}}' }],
  stacked: true,
  stepped: true,
  overrides: DISK_AREAS,
  noValue: 'No data: see “Data”',
  width: 24,
})

export const nodeHealth: readonly SizedPanel[] = [healthOverTime, disksOverTime]
