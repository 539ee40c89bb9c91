import { PURPOSE_AREAS } from '../../grafana/mappings.ts'
import type { SizedPanel } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { one, oneEach } from './queries.ts'

const cpuAndMemory = timeSeries({
  title: 'CPU and memory',
  about: [
    'Shares of CPU time and of memory in use.',
    'CPU follows the load, memory is steady.',
    'CPU without load is background work, see disk traffic below; memory that climbs for days is a leak.',
  ],
  queries: [
    { expr: one('sds_node_cpu_utilization_ratio'), legend: 'CPU' },
    { expr: one('sds_node_memory_utilization_ratio'), legend: 'Memory' },
  ],
  unit: 'percentunit',
  noValue: SEE_OFFERS,
  width: 8,
})

const memory = timeSeries({
  title: 'Memory used',
  about: [
    'Memory in use without buffers and cache, in bytes.',
    'Steady.',
    'Steps come with restarts of services; a slow climb over days is a leak.',
  ],
  queries: [{ expr: one('sds_node_memory_used_bytes'), legend: 'Used' }],
  unit: 'bytes',
  min: 0,
  noValue: SEE_OFFERS,
  width: 8,
})

const network = timeSeries({
  title: 'Network traffic',
  about: [
    'Bytes per second through the network interfaces of the node.',
    'Client traffic and the copies to other nodes together: more than the transaction bandwidth.',
    'Traffic without transactions is recovery or replication: see disk traffic by activity.',
  ],
  queries: [
    { expr: one('sds_node_nic_received_bytes_per_second'), legend: 'Received' },
    { expr: one('sds_node_nic_transmitted_bytes_per_second'), legend: 'Transmitted' },
  ],
  unit: 'Bps',
  min: 0,
  noValue: SEE_OFFERS,
  width: 8,
})

const diskTraffic = (direction: 'read' | 'write') =>
  timeSeries({
    title: `Disk ${direction}s by activity`,
    about: [
      `Bytes per second ${direction === 'read' ? 'read from' : 'written to'} the disks of the node, by purpose, stacked to all that has a purpose.`,
      'Mostly user traffic, erasure coding in the background.',
      'A thick red area is recovery after a disk or node failed; it takes bandwidth from users until it ends.',
    ],
    queries: [
      {
        expr: oneEach('purpose', `sds_node_disk_${direction}_purpose_bytes_per_second`),
        legend: '{{purpose}}',
      },
    ],
    unit: 'Bps',
    min: 0,
    stacked: true,
    overrides: PURPOSE_AREAS,
    noValue: SEE_OFFERS,
    width: 12,
  })

export const nodeResources: readonly SizedPanel[] = [
  cpuAndMemory,
  memory,
  network,
  diskTraffic('read'),
  diskTraffic('write'),
]
