import type { MetricName } from '../../promql/metrics.ts'
import { RECEIVED_TRANSMITTED } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { diskActivity } from '../common/disk_traffic.ts'
import { NO_DATA } from '../common/pool_data.ts'
import { one, oneEach } from './queries.ts'

const cpuAndMemory = timeSeries({
  title: 'CPU and memory',
  shows: 'Shares of CPU time and of memory in use.',
  normal: 'CPU follows the load, memory is constant.',
  otherwise:
    'CPU without load is background work, see “Disk reads by activity”. Memory that increases for days is a leak.',
  queries: [
    { expr: one('sds_node_cpu_utilization_ratio'), legend: 'CPU' },
    { expr: one('sds_node_memory_utilization_ratio'), legend: 'Memory' },
  ],
  unit: 'percentunit',
  noValue: NO_DATA,
  width: 8,
})

const memory = timeSeries({
  title: 'Memory used',
  shows: 'Memory in use without buffers and cache, in bytes.',
  normal: 'Constant.',
  otherwise: 'Steps are restarts of services. A slow increase over days is a leak.',
  queries: [{ expr: one('sds_node_memory_used_bytes'), legend: 'Used' }],
  unit: 'bytes',
  noValue: NO_DATA,
  width: 8,
})

const network = timeSeries({
  title: 'Network traffic',
  shows: 'Bytes per second through the network interfaces of the node.',
  normal: 'More than the transaction bandwidth, because copies to other nodes are included.',
  otherwise: 'Traffic without transactions is recovery or replication: see “Disk writes by activity”.',
  queries: [
    { expr: one('sds_node_nic_received_bytes_per_second'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_bytes_per_second'), legend: 'Transmitted' },
  ],
  unit: 'Bps',
  overrides: RECEIVED_TRANSMITTED,
  noValue: NO_DATA,
  width: 8,
})

const interfaces = timeSeries({
  title: 'Network traffic by interface',
  shows: 'Bytes per second through each network interface of the node. Only the Flux API serves them.',
  normal: 'Similar on the interfaces of a bond. A VLAN is counted in its parent, too: do not add them.',
  otherwise: 'An interface without traffic whose peers have more than before is a failed link.',
  queries: [
    {
      expr: oneEach('interface', 'sds_node_nic_interface_received_bytes_per_second'),
      legend: '{{interface}} received',
    },
    {
      expr: oneEach('interface', 'sds_node_nic_interface_transmitted_bytes_per_second'),
      legend: '{{interface}} transmitted',
    },
  ],
  unit: 'Bps',
  noValue: NO_DATA,
  width: 24,
})

const diskTraffic = (direction: 'read' | 'write', metric: MetricName) =>
  diskActivity(direction, 'the node', oneEach('purpose', metric), { noValue: NO_DATA })

export const nodeResources: readonly SizedPanel[] = [
  cpuAndMemory,
  memory,
  network,
  interfaces,
  diskTraffic('read', 'sds_node_disk_read_purpose_bytes_per_second'),
  diskTraffic('write', 'sds_node_disk_write_purpose_bytes_per_second'),
]
