import { type AlertCase, fired } from './case.ts'
import { NODE_PAGE } from './latency.ts'
import { NODE } from './subjects.ts'

const busy = (alert: string, severity: 'warning' | 'info', thing: string) =>
  fired(alert, severity, 'service', NODE, {
    summary: `A storage node has little ${thing} left.`,
    description: `Node n1 in pool pool 1 of system frankfurt uses 97% of its ${thing}.`,
    dashboard: NODE_PAGE,
  })

const network = busy('SdsNodeNetworkBusy', 'warning', 'network bandwidth')

const cpu = busy('SdsNodeCpuBusy', 'info', 'CPU time')

const memory = busy('SdsNodeMemoryFull', 'info', 'memory')

const RECEIVED = 'sds_node_nic_received_utilization_ratio'

const SENT = 'sds_node_nic_transmitted_utilization_ratio'

const CPU = 'sds_node_cpu_utilization_ratio'

const MEMORY = 'sds_node_memory_utilization_ratio'

export const resources: readonly AlertCase[] = [
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'fires after 30 minutes for one direction and ends 15 minutes after the recovery',
    series: { [RECEIVED]: '0.1x80', [SENT]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [network], '54m': [network], '55m': [] },
  },
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'fires for the other direction',
    series: { [RECEIVED]: '0.97x40' },
    at: { '30m': [network] },
  },
  {
    alert: 'SdsNodeNetworkBusy',
    name: 'is silent for two directions below the threshold',
    series: { [RECEIVED]: '0.5x40', [SENT]: '0.5x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodeCpuBusy',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [CPU]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [cpu], '54m': [cpu], '55m': [] },
  },
  {
    alert: 'SdsNodeCpuBusy',
    name: 'is silent below the threshold and for full memory',
    series: { [CPU]: '0.85x40', [MEMORY]: '0.97x40' },
    at: { '40m': [] },
  },
  {
    alert: 'SdsNodeMemoryFull',
    name: 'fires after 30 minutes and ends 15 minutes after the recovery',
    series: { [MEMORY]: '0.97x39 0.1x40' },
    at: { '29m': [], '30m': [memory], '54m': [memory], '55m': [] },
  },
  {
    alert: 'SdsNodeMemoryFull',
    name: 'is silent below the threshold and for a busy CPU',
    series: { [MEMORY]: '0.9x40', [CPU]: '0.97x40' },
    at: { '40m': [] },
  },
]
