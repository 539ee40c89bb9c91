import { promql, select } from '../../promql/expression.ts'
import { by, dedup } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { table } from '../../sdk/table.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { SYSTEM_KEY } from '../../settings.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NOT_READ } from '../common/resource_data.ts'
import { ofSystem, TABLES_UNREADY } from '../common/systems.ts'

const VERSION_KEY = [...SYSTEM_KEY, 'version'] as const

const versions = table({
  title: 'Software versions',
  about: [
    'Nodes of the selected systems by the version of their software.',
    'One version for each system, or two during an upgrade, which takes days.',
    'Two versions for a week: the upgrade may have stopped.',
  ],
  rows: VERSION_KEY,
  columns: [
    {
      title: 'Nodes',
      expr: by(
        'count',
        VERSION_KEY,
        dedup([...VERSION_KEY, 'node'], select('sds_node_software_info', ...SCOPE.system)),
      ),
    },
  ],
  sortBy: 'Nodes',
  noValue: NOT_READ,
  width: 7,
})

const licenses = table({
  title: 'Licenses and tables',
  about: [
    'The selected systems: 1 if a licensed feature has expired, the time until the first one expires, where the system has a date, and the number of directory tables, by the Flux API.',
    'Not expired. The number of tables does not change.',
    'Order a license before it expires.',
  ],
  rows: SYSTEM_KEY,
  columns: [
    { title: 'Expired', expr: ofSystem('sds_system_license_expired') },
    {
      title: 'Expires in',
      expr: promql`${by('min', SYSTEM_KEY, select('sds_system_license_expiry_timestamp_seconds', ...SCOPE.system))} - time()`,
      unit: 'dtdurations',
      decimals: 0,
    },
    { title: 'Tables', expr: ofSystem('sds_system_directory_tables') },
  ],
  sortBy: 'Expired',
  noValue: NOT_READ,
  width: 10,
})

const tables = timeSeries({
  title: 'Tables not ready',
  about: [
    'Directory tables of each selected system that are not ready or in no known state, by the Flux API.',
    '0, except for minutes after a node stopped.',
    'Requests for the objects in these tables fail or wait. Bring back nodes that are not available.',
  ],
  queries: [{ expr: TABLES_UNREADY, legend: '{{system}}' }],
  stepped: true,
  faults: true,
  interval: SAMPLE_INTERVAL,
  noValue: 'Not served, no Flux API, or no data: see “Data”',
  width: 7,
})

export const software = [versions, licenses, tables] as const
