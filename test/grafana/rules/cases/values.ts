import { type AlertCase, cases, fires, of } from './case.ts'
import { POLLED_POOL, SYSTEM } from './subjects.ts'

const skew = fires(SYSTEM, '45s')
const REJECTED = 'sds_api_rejected_values_by_reason_total{reason="negative"}'

const rejected = fires({ ...SYSTEM, reason: 'negative' })

const served = (attribute: string, pool = 'p1', source = 'feed'): string =>
  `sds_pool_attribute_nodes{pool_id="${pool}",attribute="${attribute}",state="served",source="${source}"}`

const disappeared = fires(POLLED_POOL, '2')

export const valueCases: readonly AlertCase[] = [
  ...cases('SdsClockSkew', 'warning', {
    'fires after 15 minutes in either direction and ends 15 minutes after the correction': {
      series: { sds_system_clock_skew_seconds: '-45x19 0x40' },
      at: { '14m': [], '15m': [skew], '34m': [skew], '35m': [] },
    },
    'is silent for some seconds, and for a system without a known clock skew': {
      series: { sds_system_clock_skew_seconds: '20x30', 'sds_system_up{system="paris"}': '1x30' },
      at: { '30m': [] },
    },
  }),
  ...cases('SdsValuesRejected', 'warning', {
    'fires after 15 minutes and ends 30 minutes after the last rejection': {
      series: { [REJECTED]: '0x4 1+1x14 15x60' },
      at: { '19m': [], '20m': [rejected], '47m': [rejected], '50m': [] },
    },
    'is silent for old rejections': { series: { [REJECTED]: '7x60' }, at: { '45m': [], '60m': [] } },
    'is silent for a gap without rejections': {
      series: { [REJECTED]: '7x10 _x39 7x60' },
      at: { '66m': [], '80m': [] },
    },
    'fires for rejections after a restart': {
      series: { [REJECTED]: '7x39 0+1x20 20x60' },
      at: { '54m': [], '56m': [rejected], '88m': [rejected], '91m': [] },
    },
  }),
  ...cases('SdsAttributesDisappeared', 'info', {
    'fires after two hours in spite of single failed polls, and ends when the attributes are served again': {
      series: {
        [served('nodeCpuUtilization')]: '3x9 0x139 3x10',
        [served('nodeMemoryUtilization')]: '3x9 stale _x138 3x10',
        [served('diskSpaceFree')]: '3x160',
        sds_pool_up: '1x60 0x2 1x97',
        sds_pool_nodes: '3x160',
      },
      at: { '129m': [], '130m': [disappeared], '148m': [disappeared], '150m': [] },
    },
    'is silent for attributes that are taken from the Flux API after an upgrade': {
      series: {
        [served('nodeCpuUtilization')]: '3x9 stale',
        [served('nodeCpuUtilization', 'p1', 'query')]: '_x10 3x150',
        [served('transactionReadLatency')]: '3x9 0x150',
        [served('transactionWriteLatency')]: '3x9 0x150',
        sds_pool_up: '1x160',
        sds_pool_nodes: '3x160',
      },
      at: { '140m': [], '160m': [] },
    },
    'fires for latencies where nothing comes from the Flux API': {
      series: {
        [served('nodeCpuUtilization')]: '3x160',
        [served('transactionReadLatency')]: '3x9 0x150',
        [served('transactionWriteLatency')]: '3x9 0x150',
        sds_pool_up: '1x160',
        sds_pool_nodes: '3x160',
      },
      at: { '129m': [], '130m': [disappeared] },
    },
    'is silent for attributes that were never served, in an empty pool, and while polls fail': {
      series: {
        [served('nodeCpuUtilization')]: '0x160',
        [served('healthStatus')]: '3x9 2x150',
        sds_pool_up: '1x160',
        sds_pool_nodes: '3x160',
        [served('healthStatus', 'p2')]: '3x9 0x150',
        ...of('pool_id="p2"', { sds_pool_up: '1x160', sds_pool_nodes: '3x9 0x150' }),
        [served('healthStatus', 'p3')]: '3x9 stale',
        ...of('pool_id="p3"', { sds_pool_up: '1x9 0x150', sds_pool_nodes: '3x160' }),
      },
      at: { '140m': [], '160m': [] },
    },
  }),
]
