import { type AlertCase, cases, fires } from '../case.ts'
import { POOL } from '../subjects.ts'

const network = fires(POOL, 1, '85%')
const networkOfTwo = fires(POOL, 2, '85%')
const cpu = fires(POOL, 1, '90%')
const memory = fires(POOL, 1, '95%')
const RECEIVED = 'sds_node_nic_received_utilization_ratio'
const SENT = 'sds_node_nic_transmitted_utilization_ratio'
const CPU = 'sds_node_cpu_utilization_ratio'
const MEMORY = 'sds_node_memory_utilization_ratio'

export const utilizationCases: readonly AlertCase[] = [
  ...cases('SdsNodesNetworkBusy', 'warning', {
    'fires after 30 minutes for one direction and ends 15 minutes after the recovery': {
      series: { [RECEIVED]: '0.1x80', [SENT]: '0.97x39 0.1x40' },
      at: { '29m': [], '30m': [network], '54m': [network], '55m': [] },
    },
    'is one alert for nodes with one or both busy directions': {
      series: { [RECEIVED]: '0.97x40', [SENT]: '0.97x40', [`${RECEIVED}{node="n2"}`]: '0.9x40' },
      at: { '30m': [networkOfTwo] },
    },
    'is silent for two directions below the threshold': {
      series: { [RECEIVED]: '0.5x40', [SENT]: '0.5x40' },
      at: { '40m': [] },
    },
  }),
  ...cases('SdsNodesCpuBusy', 'info', {
    'fires after 30 minutes and ends 15 minutes after the recovery': {
      series: { [CPU]: '0.97x39 0.1x40' },
      at: { '29m': [], '30m': [cpu], '54m': [cpu], '55m': [] },
    },
    'is silent below the threshold and for full memory': {
      series: { [CPU]: '0.85x40', [MEMORY]: '0.97x40' },
      at: { '40m': [] },
    },
  }),
  ...cases('SdsNodesMemoryFull', 'info', {
    'fires after 30 minutes and ends 15 minutes after the recovery': {
      series: { [MEMORY]: '0.97x39 0.1x40' },
      at: { '29m': [], '30m': [memory], '54m': [memory], '55m': [] },
    },
    'is silent below the threshold and for a busy CPU': {
      series: { [MEMORY]: '0.9x40', [CPU]: '0.97x40' },
      at: { '40m': [] },
    },
  }),
]
