import { type InputSeries, increasingOnBoth, onBoth } from './series.ts'

const POOLS = [
  { system: 'fra', pool_id: 'id1', pool: 'p1', up: 1 },
  { system: 'fra', pool_id: 'id2', pool: 'p2', up: 0 },
  { system: 'muc', pool_id: 'id3', pool: 'p1', up: 1 },
  { system: 'muc', pool_id: 'id4', pool: 'id4', up: 0 },
] as const

/** Number of nodes and state by attribute, for the pools in this order; the last one has none. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  nodeCpuUtilization: ['2 served', '1 absent', '1 served'],
  transactionReadBandwidth: ['2 served', '1 absent', '1 unreadable'],
  transactionErrors: ['2 served', '1 absent', '1 absent'],
  diskReadBandwidthTotal: ['2 served', '1 absent', '1 absent'],
  diskSpaceTotal: ['2 served', '1 served', '1 served'],
  allocatedCapacityForecast: ['2 served', '1 served', '1 absent'],
}

export const POOL_SERIES: readonly InputSeries[] = POOLS.flatMap(({ up, ...key }, index) => [
  ...onBoth('sds_pool_up', key, up),
  ...onBoth('sds_pool_info', key, 1),
  ...(key.pool === 'p2' ? increasingOnBoth('sds_pool_polls_total', { ...key, result: 'timeout' }, 1) : []),
  ...onBoth('sds_pool_polls_total', { ...key, result: 'syntax' }, 0),
  ...Object.entries(ATTRIBUTES).flatMap(([attribute, states]) => {
    const [count, state] = states[index]?.split(' ') ?? []
    if (state === undefined) return []
    return onBoth('sds_pool_attribute_nodes', { ...key, attribute, state }, Number(count))
  }),
])
