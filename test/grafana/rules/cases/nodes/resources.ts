import { type AlertCase, fired } from '../case.ts'
import { POOL } from '../subjects.ts'

const busy = (
  alert: string,
  severity: 'warning' | 'info',
  [thing, limit]: readonly [string, string],
  nodes = 1,
) =>
  fired(alert, severity, 'service', POOL, {
    summary: `Nodes of a storage pool have little ${thing} left.`,
    description: `Pool pool 1 of system frankfurt: ${nodes} of its nodes use more than ${limit} of their ${thing}.`,
    dashboard: '/d/sds-pool?var-system=frankfurt&var-pool=pool+1',
  })

const NETWORK = ['network bandwidth', '85%'] as const

const network = busy('SdsNodesNetworkBusy', 'warning', NETWORK)

const networkOfTwo = busy('SdsNodesNetworkBusy', 'warning', NETWORK, 2)

const cpu = busy('SdsNodesCpuBusy', 'info', ['CPU time', '90%'])

const memory = busy('SdsNodesMemoryFull', 'info', ['memory', '95%'])

const RECEIVED = 'sds_node_nic_received_utilization_ratio'

const SENT = 'sds_node_nic_transmitted_utilization_ratio'

const CPU = 'sds_node_cpu_utilization_ratio'

const MEMORY = 'sds_node_memory_utilization_ratio'

export const resources: readonly AlertCase[] = [
  {
    alert: 'SdsNodesNetworkBusy',
    name: 'fires after 30 minutes for one direction and ends 15 minutes after the recovery',
    series: { [RECEIVED]: '0.1x80', [SENT]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [network], '54m': [network], '55m': [] },
  },
  {
    alert: 'SdsNodesNetworkBusy',
    name: 'is one alert for nodes with one or both busy directions',
    series: { [RECEIVED]: '0.97x40', [SENT]: '0.97x40', [`${RECEIVED}{node="n2"}`]: '0.9x40' },
    at: { '30m': [networkOfTwo] },
  },
  {
    alert: 'SdsNodesNetworkBusy',
    name: 'is silent for two directions below the threshold',
    series: { [RECEIVED]: '0.5x40', [SENT]: '0.5x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodesCpuBusy',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [CPU]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [cpu], '54m': [cpu], '55m': [] },
  },
  {
    alert: 'SdsNodesCpuBusy',
    name: 'is silent below the threshold and for full memory',
    series: { [CPU]: '0.85x40', [MEMORY]: '0.97x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodesMemoryFull',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [MEMORY]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [memory], '54m': [memory], '55m': [] },
  },
  {
    alert: 'SdsNodesMemoryFull',
    name: 'is silent below the threshold and for a busy CPU',
    series: { [MEMORY]: '0.9x40', [CPU]: '0.97x40' },
    at: { '40m': [] },
  },
]
