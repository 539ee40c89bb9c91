import { type InputSeries, increasingOnBoth, onBoth } from './series.ts'

interface PoolFacts {
  readonly system: string
  readonly pool_id: string
  readonly pool: string
  readonly up: number
  /** `attribute/state`: nodes. */
  readonly attributes: Readonly<Record<string, number>>
}

export const POOLS: readonly PoolFacts[] = [
  {
    system: 'fra',
    pool_id: 'id1',
    pool: 'p1',
    up: 1,
    attributes: {
      'nodeCpuUtilization/served': 2,
      'transactionReadBandwidth/served': 2,
      'transactionErrors/served': 2,
      'diskReadBandwidthTotal/served': 2,
      'diskSpaceTotal/served': 2,
      'allocatedCapacityForecast/served': 2,
    },
  },
  {
    system: 'fra',
    pool_id: 'id2',
    pool: 'p2',
    up: 0,
    attributes: {
      'nodeCpuUtilization/absent': 1,
      'transactionReadBandwidth/absent': 1,
      'transactionErrors/absent': 1,
      'diskReadBandwidthTotal/absent': 1,
      'diskSpaceTotal/served': 1,
      'allocatedCapacityForecast/served': 1,
    },
  },
  {
    system: 'muc',
    pool_id: 'id3',
    pool: 'p1',
    up: 1,
    attributes: {
      'nodeCpuUtilization/served': 1,
      'transactionReadBandwidth/unreadable': 1,
      'transactionErrors/absent': 1,
      'diskReadBandwidthTotal/absent': 1,
      'diskSpaceTotal/served': 1,
      'allocatedCapacityForecast/absent': 1,
    },
  },
  { system: 'muc', pool_id: 'id4', pool: 'id4', up: 0, attributes: {} },
]

export const poolSeries = ({ up, attributes, ...key }: PoolFacts): InputSeries[] => [
  ...onBoth('sds_pool_up', key, up),
  ...onBoth('sds_pool_info', key, 1),
  ...(key.pool === 'p2' ? increasingOnBoth('sds_pool_polls_total', { ...key, result: 'timeout' }, 1) : []),
  ...onBoth('sds_pool_polls_total', { ...key, result: 'syntax' }, 0),
  ...Object.entries(attributes).flatMap(([name, count]) => {
    const [attribute = '', state = ''] = name.split('/')
    return onBoth('sds_pool_attribute_nodes', { ...key, attribute, state }, count)
  }),
]
