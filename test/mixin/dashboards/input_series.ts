import { HEALTH_STATES } from '../../../src/catalogue.ts'
import { FAMILIES, type Family } from '../../../src/metrics/families.ts'
import { FOREIGN_NAMES } from '../promql/known_metrics.ts'

/** A series as promtool takes it: constant from the first to the last minute. */
export interface InputSeries {
  readonly series: string
  readonly values: string
}

/** When the queries are asked, in seconds; the series begin at 0. */
export const NOW = 7200

type Labels = Readonly<Record<string, string>>

const text = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`

/** `labels` as promtool writes them in its expectations. */
export const labelText = (labels: Labels): string => text('', labels)

/** A series of one exporter. */
export const constant = (name: string, labels: Labels, value: number): InputSeries => ({
  series: text(name, labels),
  values: `${value}x${NOW / 60}`,
})

export const EXPORTERS = ['a:9438', 'b:9438'] as const
export const targetOf = (instance: string): Labels => ({ job: 'sds', instance })

/** What both exporters of a pair report alike. */
export const onBoth = (name: string, labels: Labels, value: number): InputSeries[] =>
  EXPORTERS.map((instance) => constant(name, { ...labels, ...targetOf(instance) }, value))

/** What each of the pair reports for itself. */
export const onEach = (name: string, labels: Labels, values: readonly [number, number]): InputSeries[] =>
  EXPORTERS.map((instance, index) => constant(name, { ...labels, ...targetOf(instance) }, values[index] ?? 0))

interface NodeFacts {
  readonly key: { readonly system: string; readonly pool: string; readonly node: string }
  readonly health: string
  /** All, Good, Bad, Maintenance, ReadyToReplace. */
  readonly disks: readonly [number, number, number, number, number]
  /** Total, allocated, free, reserved, in bytes. */
  readonly space?: readonly [number, number, number, number]
  /** Latency in seconds and transactions per second. */
  readonly reads?: readonly [number, number]
  readonly writes?: readonly [number, number]
  /** Families that need no more labels, without the prefix `sds_node_`. */
  readonly plain?: Readonly<Record<string, number>>
  /** By category: when the newest sample was. */
  readonly sampled?: Readonly<Record<string, number>>
  /** `history/target`: seconds, or undefined for N/A. */
  readonly forecasts?: Readonly<Record<string, number | undefined>>
  /** `category/type`: failures. */
  readonly failures?: Readonly<Record<string, number>>
}

/**
 * Two systems whose pools share a name, nodes of different size and state, one with a state that nobody knows,
 * and one (n3) of a system that serves neither transactions nor resources.
 */
const NODES: readonly NodeFacts[] = [
  {
    key: { system: 'fra', pool: 'p1', node: 'n1' },
    health: 'Good',
    disks: [12, 12, 0, 0, 0],
    space: [1000, 900, 50, 50],
    reads: [0.01, 100],
    writes: [0.02, 50],
    plain: {
      disk_space_offline_bytes: 700,
      cpu_utilization_ratio: 0.5,
      memory_utilization_ratio: 0.6,
      nic_received_utilization_ratio: 0.2,
      nic_transmitted_utilization_ratio: 0.4,
      transactions_succeeded: 990,
      transactions_failed: 10,
    },
    sampled: { capacity: 7000, traffic: 6900 },
    forecasts: { '7/90': 864_000, '28/90': 432_000 },
    failures: { 'User/404 (S3)': 10 },
  },
  {
    key: { system: 'fra', pool: 'p1', node: 'n2' },
    health: 'Bad',
    disks: [12, 9, 2, 0, 1],
    space: [3000, 1500, 1200, 300],
    reads: [0.2, 10],
    writes: [0.5, 0],
    plain: {
      disk_space_offline_bytes: 700,
      cpu_utilization_ratio: 0.9,
      memory_utilization_ratio: 0.7,
      nic_received_utilization_ratio: 0.6,
      nic_transmitted_utilization_ratio: 0.3,
      transactions_succeeded: 90,
      transactions_failed: 10,
    },
    sampled: { capacity: 6600, traffic: 6300 },
    forecasts: { '7/90': undefined },
    failures: { 'User/404 (S3)': 5, 'System/500 (S3)': 5 },
  },
  {
    key: { system: 'fra', pool: 'p2', node: 'n3' },
    health: 'Suspect',
    disks: [10, 8, 0, 1, 0],
    space: [1000, 100, 800, 100],
    plain: { disk_space_offline_bytes: 700 },
    sampled: { capacity: 7100 },
    forecasts: { '7/90': undefined },
  },
  {
    key: { system: 'muc', pool: 'p1', node: 'n1' },
    health: 'Good',
    disks: [12, 12, 0, 0, 0],
    space: [5000, 1000, 3500, 500],
    reads: [0.1, 100],
    writes: [0.1, 100],
    plain: {
      disk_space_offline_bytes: 0,
      cpu_utilization_ratio: 0.1,
      memory_utilization_ratio: 0.5,
      transactions_succeeded: 1000,
      transactions_failed: 0,
    },
    sampled: { capacity: 7150 },
    forecasts: { '7/90': 1_728_000, '7/80': 0 },
  },
  { key: { system: 'muc', pool: 'p3', node: 'n9' }, health: 'Rebooting', disks: [0, 0, 0, 0, 0] },
]

const healthOf = ({ key, health }: NodeFacts): InputSeries[] =>
  [...new Set([...HEALTH_STATES, health])].flatMap((status) =>
    onBoth('sds_node_health_status', { ...key, status }, status === health ? 1 : 0),
  )

const disksOf = ({ key, disks }: NodeFacts): InputSeries[] => {
  const [all, ...counts] = disks
  const states = ['Good', 'Bad', 'Maintenance', 'ReadyToReplace']
  return [
    ...onBoth('sds_node_disks', key, all),
    ...states.flatMap((status, index) =>
      onBoth('sds_node_disks_by_status', { ...key, status }, counts[index] ?? 0),
    ),
  ]
}

const spaceOf = ({ key, space }: NodeFacts): InputSeries[] =>
  (space ?? []).flatMap((value, index) => {
    const kind = ['total', 'allocated', 'free', 'reserved'][index]
    return onBoth(`sds_node_disk_space_${kind}_bytes`, key, value)
  })

const trafficOf = ({ key, reads, writes }: NodeFacts): InputSeries[] =>
  Object.entries({ read: reads, write: writes }).flatMap(([operation, pair]) =>
    pair
      ? [
          ...onBoth(`sds_node_transaction_${operation}_latency_seconds`, key, pair[0]),
          ...onBoth(`sds_node_transaction_${operation}s_per_second`, key, pair[1]),
        ]
      : [],
  )

const forecastsOf = ({ key, forecasts = {} }: NodeFacts): InputSeries[] =>
  Object.entries(forecasts).flatMap(([name, seconds]) => {
    const [history_days = '', target_percent = ''] = name.split('/')
    const labels = { ...key, history_days, target_percent }
    return [
      ...onBoth('sds_node_capacity_forecast_available', labels, seconds === undefined ? 0 : 1),
      ...(seconds === undefined ? [] : onBoth('sds_node_capacity_forecast_seconds', labels, seconds)),
    ]
  })

const failuresOf = ({ key, failures = {} }: NodeFacts): InputSeries[] =>
  Object.entries(failures).flatMap(([name, count]) => {
    const [category = '', error_type = ''] = name.split('/')
    return onBoth('sds_node_transaction_errors_by_type', { ...key, category, error_type }, count)
  })

const seriesOf = (facts: NodeFacts): InputSeries[] => [
  ...onBoth(
    'sds_node_info',
    { ...facts.key, node_id: `id-${facts.key.node}`, pool_id: '', api_change: '1' },
    1,
  ),
  ...healthOf(facts),
  ...disksOf(facts),
  ...spaceOf(facts),
  ...trafficOf(facts),
  ...forecastsOf(facts),
  ...failuresOf(facts),
  ...Object.entries(facts.plain ?? {}).flatMap(([name, value]) =>
    onBoth(`sds_node_${name}`, facts.key, value),
  ),
  ...Object.entries(facts.sampled ?? {}).flatMap(([category, time]) =>
    onBoth('sds_node_sample_timestamp_seconds', { ...facts.key, category }, time),
  ),
]

/** Recovery writes of the two nodes of fra/p1 are above the limit only together; muc is idle. */
const RECOVERY: readonly (readonly [system: string, node: string, bytes: number])[] = [
  ['fra', 'n1', 600_000],
  ['fra', 'n2', 600_000],
  ['muc', 'n1', 0],
]

const recovery = (): InputSeries[] =>
  RECOVERY.flatMap(([system, node, bytes]) =>
    onBoth(
      'sds_node_disk_write_purpose_bytes_per_second',
      { system, pool: 'p1', node, purpose: 'recovery' },
      bytes,
    ),
  )

/** Disk reads of one node: 30 of 40 bytes per second are for users. */
const diskReads = (): InputSeries[] => {
  const key = { system: 'fra', pool: 'p1', node: 'n1' }
  const ofPurpose = (purpose: string, bytes: number) =>
    onBoth('sds_node_disk_read_purpose_bytes_per_second', { ...key, purpose }, bytes)
  return [
    ...ofPurpose('user', 30),
    ...ofPurpose('erasure_coding', 10),
    ...onBoth('sds_node_disk_read_bytes_per_second', key, 40),
  ]
}

interface PoolFacts {
  readonly system: string
  readonly pool_id: string
  /** Undefined for a pool that never answered. */
  readonly pool: string | undefined
  readonly up: number
  /** `attribute/state`: nodes. */
  readonly attributes: Readonly<Record<string, number>>
}

const POOLS: readonly PoolFacts[] = [
  {
    system: 'fra',
    pool_id: 'id1',
    pool: 'p1',
    up: 1,
    attributes: {
      'nodeCpuUtilization/served': 2,
      'transactionReadLatency/served': 2,
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
      'transactionReadLatency/absent': 1,
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
      'transactionReadLatency/unreadable': 1,
      'transactionErrors/absent': 1,
      'diskReadBandwidthTotal/absent': 1,
      'diskSpaceTotal/served': 1,
      'allocatedCapacityForecast/absent': 1,
    },
  },
  { system: 'muc', pool_id: 'id4', pool: undefined, up: 0, attributes: {} },
]

const poolSeries = ({ pool, up, attributes, ...key }: PoolFacts): InputSeries[] => [
  ...onBoth('sds_pool_up', key, up),
  ...(pool === undefined ? [] : onBoth('sds_pool_info', { ...key, pool }, 1)),
  ...Object.entries(attributes).flatMap(([name, count]) => {
    const [attribute = '', state = ''] = name.split('/')
    return onBoth('sds_pool_attribute_nodes', { ...key, attribute, state }, count)
  }),
]

/** One exporter of the pair is down as far as Prometheus can see, and refused its configuration. */
const exporters = (): InputSeries[] => [
  ...onEach('up', {}, [1, 0]),
  constant('up', { job: 'node', instance: 'c:9100' }, 1),
  ...onEach('sds_exporter_config_last_reload_successful', {}, [1, 0]),
  ...onEach('sds_exporter_config_last_reload_success_timestamp_seconds', {}, [3600, 100]),
  ...onEach('sds_system_up', { system: 'fra' }, [1, 0]),
  ...onEach('sds_system_up', { system: 'muc' }, [0, 0]),
  ...onBoth('sds_system_tls_not_after_timestamp_seconds', { system: 'fra' }, NOW + 86_400),
  ...onBoth('sds_system_clock_skew_seconds', { system: 'fra' }, 2),
  ...onBoth('sds_system_clock_skew_seconds', { system: 'muc' }, -40),
  ...onBoth('sds_authn_providers', { system: 'fra' }, 3),
]

const ALERTS: readonly Labels[] = [
  {
    alertname: 'SdsNodeBad',
    alertstate: 'firing',
    severity: 'critical',
    system: 'fra',
    pool: 'p1',
    node: 'n2',
  },
  { alertname: 'SdsExporterDown', alertstate: 'firing', severity: 'warning' },
  { alertname: 'SdsNodeSuspect', alertstate: 'pending', severity: 'warning', system: 'fra' },
  { alertname: 'DiskFull', alertstate: 'firing', severity: 'critical' },
]

/** Everything that Prometheus knows in the tests of values. */
export const WORLD: readonly InputSeries[] = [
  ...NODES.flatMap(seriesOf),
  ...recovery(),
  ...diskReads(),
  ...POOLS.flatMap(poolSeries),
  ...exporters(),
  ...ALERTS.map((labels) => constant('ALERTS', labels, 1)),
]

const NAMES = new Set(WORLD.map(({ series }) => series.slice(0, series.indexOf('{'))))

/** Label values that joins and filters of the dashboards look for; any other label says "x". */
const KNOWN_VALUES: Labels = {
  system: 'fra',
  pool: 'p1',
  node: 'n1',
  pool_id: 'id1',
  result: 'timeout',
}

const labelsFor = ({ labels }: Family): Labels =>
  Object.fromEntries(labels.map((label) => [label, KNOWN_VALUES[label] ?? 'x']))

const growing = (name: string, labels: Labels): InputSeries[] =>
  EXPORTERS.map((instance) => ({
    series: text(name, { ...labels, ...targetOf(instance) }),
    values: `0+1x${NOW / 60}`,
  }))

const fill = (family: Family): InputSeries[] => {
  const labels = labelsFor(family)
  if (family.type === 'gauge') return onBoth(family.name, labels, 1)
  if (family.type === 'counter') return growing(family.name, labels)
  return ['0.1', '1', '+Inf'].flatMap((le) => growing(`${family.name}_bucket`, { ...labels, le }))
}

/** The same with some series of every other family, for questions that any data can answer. */
export const FULL_WORLD: readonly InputSeries[] = [
  ...WORLD,
  ...FAMILIES.filter(({ name }) => !NAMES.has(name)).flatMap(fill),
  ...FOREIGN_NAMES.filter((name) => !NAMES.has(name)).flatMap((name) => growing(name, {})),
]
