import { type AlertCase, fired, saying } from './case.ts'

const POOL = { system: 'frankfurt', pool: 'pool 1' }
const PAGE = '/d/sds-capacity?var-system=frankfurt&var-pool=pool+1'
const ALLOCATED = 'sds_node_disk_space_allocated_bytes'
const TOTAL = 'sds_node_disk_space_total_bytes'
const FORECAST = 'sds_node_capacity_forecast_seconds'
const AVAILABLE = 'sds_node_capacity_forecast_available'
const DAYS_5 = 432_000
const DAYS_20 = 1_728_000
const DAYS_40 = 3_456_000

const nearlyFull = { summary: 'A storage pool is nearly full.', dashboard: PAGE }
const high = fired('SdsCapacityHigh', 'warning', 'capacity', POOL, {
  ...nearlyFull,
  description: 'Pool pool 1 of system frankfurt has 85% of its usable space allocated.',
})
const full = 'Pool pool 1 of system frankfurt has 95% of its usable space allocated.'
const highToo = saying(high, full)
const critical = fired('SdsCapacityHigh', 'critical', 'capacity', POOL, { ...nearlyFull, description: full })

const capacityHigh: readonly AlertCase[] = [
  {
    alert: 'SdsCapacityHigh',
    name: 'warns after 30 minutes and ends an hour after the recovery',
    series: { [ALLOCATED]: '85x40 70x90', [TOTAL]: '100x130' },
    at: { '29m': [], '30m': [high], '100m': [high], '101m': [] },
  },
  {
    alert: 'SdsCapacityHigh',
    name: 'is critical after 10 minutes, and half an hour longer than the pool is',
    series: { [ALLOCATED]: '95x40 70x90', [TOTAL]: '100x130' },
    at: {
      '9m': [],
      '10m': [critical],
      '30m': [critical, highToo],
      '70m': [critical, highToo],
      '71m': [highToo],
      '101m': [],
    },
  },
  {
    alert: 'SdsCapacityHigh',
    name: 'weighs nodes by their size and says nothing at the threshold itself',
    series: {
      [`${ALLOCATED}{node="small"}`]: '100x60',
      [`${TOTAL}{node="small"}`]: '100x60',
      [`${ALLOCATED}{node="large"}`]: '700x60',
      [`${TOTAL}{node="large"}`]: '900x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsCapacityHigh',
    name: 'has no ratio where the total is 0 or missing',
    series: {
      [ALLOCATED]: '95x60',
      [TOTAL]: '0x60',
      [`${ALLOCATED}{pool="pool 2"}`]: '95x60',
      [`${ALLOCATED}{pool="pool 3",node="n1"}`]: '95x60',
      [`${TOTAL}{pool="pool 3",node="n2"}`]: '100x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsCapacityHigh',
    name: 'leaves a node with half of its figures out of the ratio',
    series: {
      [ALLOCATED]: '85x60',
      [TOTAL]: '100x60',
      [`${TOTAL}{node="n2"}`]: '1000x60',
    },
    at: { '30m': [high] },
  },
]

const soon = 'A storage system forecasts that one of its pools is full soon.'
const forecast = (severity: 'critical' | 'warning', time: string) =>
  fired('SdsForecastShort', severity, 'capacity', POOL, {
    summary: soon,
    description: `Pool pool 1 of system frankfurt is forecast to reach 90 % in ${time}, by the forecast of its system (0s: reached).`,
    dashboard: PAGE,
  })

const target = (percent: number, history: number, more = ''): string =>
  `${FORECAST}{history_days="${history}",target_percent="${percent}"${more}}`

const forecastShort: readonly AlertCase[] = [
  {
    alert: 'SdsForecastShort',
    name: 'warns after 6 hours below 30 days, by the shortest of all nodes and histories',
    step: 5,
    series: {
      [ALLOCATED]: '65x160',
      [TOTAL]: '100x160',
      [target(90, 7)]: `${DAYS_20}x73 ${DAYS_40}x86`,
      [target(90, 28)]: `${DAYS_40}x160`,
      [target(90, 7, ',node="n2"')]: `${DAYS_40}x160`,
    },
    at: {
      '355m': [],
      '360m': [forecast('warning', '20d 0h 0m 0s')],
      '725m': [forecast('warning', '20d 0h 0m 0s')],
      '730m': [],
    },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is critical after an hour below 7 days',
    series: {
      [ALLOCATED]: '80x300',
      [TOTAL]: '100x300',
      [target(90, 7)]: `${DAYS_5}x69 ${DAYS_40}x230`,
    },
    at: {
      '59m': [],
      '60m': [forecast('critical', '5d 0h 0m 0s')],
      '189m': [forecast('critical', '5d 0h 0m 0s')],
      '190m': [],
    },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is not yet critical with 10 days to go, nor with 5 days at 70 %',
    series: {
      [ALLOCATED]: '80x100',
      [TOTAL]: '100x100',
      [target(90, 7)]: `${2 * DAYS_5}x100`,
      [`${ALLOCATED}{pool="pool 2"}`]: '70x100',
      [`${TOTAL}{pool="pool 2"}`]: '100x100',
      [target(90, 7, ',pool="pool 2"')]: `${DAYS_5}x100`,
    },
    at: { '100m': [] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'goes on waiting over a gap of ten minutes, but not over an hour',
    series: {
      [ALLOCATED]: '80x19 stale _x9 80x70',
      [TOTAL]: '100x19 stale _x9 100x70',
      [target(90, 7)]: `${DAYS_5}x19 stale _x9 ${DAYS_5}x70`,
      [`${ALLOCATED}{pool="pool 2"}`]: '80x9 stale _x49 80x40',
      [`${TOTAL}{pool="pool 2"}`]: '100x9 stale _x49 100x40',
      [target(90, 7, ',pool="pool 2"')]: `${DAYS_5}x9 stale _x49 ${DAYS_5}x40`,
    },
    at: {
      '59m': [],
      '60m': [forecast('critical', '5d 0h 0m 0s')],
      '100m': [forecast('critical', '5d 0h 0m 0s')],
    },
  },
  {
    alert: 'SdsForecastShort',
    name: 'takes 0 for reached',
    series: { [ALLOCATED]: '91x60', [TOTAL]: '100x60', [target(90, 7)]: '0x60' },
    at: { '60m': [forecast('critical', '0s')] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent for N/A, for other targets, and while there is plenty of room',
    step: 5,
    series: {
      [ALLOCATED]: '85x80',
      [TOTAL]: '100x80',
      [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '0x80',
      [target(80, 7)]: '0x80',
      [`${ALLOCATED}{pool="pool 2"}`]: '50x80',
      [`${TOTAL}{pool="pool 2"}`]: '100x80',
      [target(90, 7, ',pool="pool 2"')]: `${DAYS_5}x80`,
    },
    at: { '60m': [], '400m': [] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent where the use is not known',
    step: 5,
    series: { [target(90, 7)]: '0x80', [ALLOCATED]: '85x80', [TOTAL]: '0x80' },
    at: { '400m': [] },
  },
]

const noForecast = fired('SdsForecastUnavailable', 'info', 'capacity', POOL, {
  summary: 'A storage pool with high usage has no capacity forecast.',
  description:
    'Pool pool 1 of system frankfurt is above 80 % used, and its system reports N/A for every forecast: SdsForecastShort does not cover it.',
  dashboard: PAGE,
})
const forecastUnavailable: readonly AlertCase[] = [
  {
    alert: 'SdsForecastUnavailable',
    name: 'fires after 6 hours of N/A and ends 6 hours after a forecast',
    step: 5,
    series: {
      [ALLOCATED]: '85x160',
      [TOTAL]: '100x160',
      [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '0x73 1x86',
      [`${AVAILABLE}{history_days="28",target_percent="90"}`]: '0x160',
    },
    at: { '355m': [], '360m': [noForecast], '725m': [noForecast], '730m': [] },
  },
  {
    alert: 'SdsForecastUnavailable',
    name: 'is silent when one history suffices, when there is room, and when no forecast was asked for',
    step: 5,
    series: {
      [ALLOCATED]: '85x80',
      [TOTAL]: '100x80',
      [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '0x80',
      [`${AVAILABLE}{history_days="28",target_percent="90"}`]: '1x80',
      [`${ALLOCATED}{pool="pool 2"}`]: '50x80',
      [`${TOTAL}{pool="pool 2"}`]: '100x80',
      [`${AVAILABLE}{pool="pool 2",history_days="7",target_percent="90"}`]: '0x80',
      [`${ALLOCATED}{pool="pool 3"}`]: '85x80',
      [`${TOTAL}{pool="pool 3"}`]: '100x80',
    },
    at: { '400m': [] },
  },
]

const fills = fired('SdsCapacityFillsSoon', 'warning', 'capacity', POOL, {
  summary: 'A storage pool is full within a day at its current growth.',
  description:
    'Pool pool 1 of system frankfurt would have 152.5% of its usable space allocated in 1d 0h 0m 0s.',
  dashboard: PAGE,
})
/** While an alert is kept firing, its description has the last value of the expression. */
const fillsLast = saying(
  fills,
  'Pool pool 1 of system frankfurt would have 92.1% of its usable space allocated in 1d 0h 0m 0s.',
)
const fillsSoon: readonly AlertCase[] = [
  {
    alert: 'SdsCapacityFillsSoon',
    name: 'fires after half an hour with three hours of history, and ends an hour after the use falls',
    step: 5,
    // All within the range of six hours, so that no sample is at its start.
    series: { [ALLOCATED]: '700+2.5x42 800-5x20 700x60', [TOTAL]: '1000x124' },
    at: { '205m': [], '210m': [fills], '315m': [fillsLast], '375m': [fillsLast], '380m': [] },
  },
  {
    alert: 'SdsCapacityFillsSoon',
    name: 'ignores slow growth, little use, a short history and a pool that is full already',
    step: 5,
    series: {
      [`${ALLOCATED}{pool="full"}`]: '91+0.05x80',
      [`${TOTAL}{pool="full"}`]: '100x80',
      [`${ALLOCATED}{pool="slow"}`]: '700+0.25x80',
      [`${TOTAL}{pool="slow"}`]: '1000x80',
      [`${ALLOCATED}{pool="empty"}`]: '100+5x80',
      [`${TOTAL}{pool="empty"}`]: '1000x80',
      [`${ALLOCATED}{pool="young"}`]: '_x44 700+2.5x36',
      [`${TOTAL}{pool="young"}`]: '_x44 1000x36',
    },
    at: { '210m': [], '395m': [] },
  },
]

const uneven = fired('SdsCapacityImbalance', 'info', 'capacity', POOL, {
  summary: 'The nodes of a storage pool are filled unevenly.',
  description:
    'Pool pool 1 of system frankfurt: the usage of its fullest and its emptiest node differs by 45% of their space.',
  dashboard: PAGE,
})
const imbalance: readonly AlertCase[] = [
  {
    alert: 'SdsCapacityImbalance',
    name: 'fires after 6 hours and ends an hour after the nodes are even',
    step: 5,
    series: {
      [ALLOCATED]: '65x73 25x20',
      [TOTAL]: '100x94',
      [`${ALLOCATED}{node="n2"}`]: '40x94',
      [`${TOTAL}{node="n2"}`]: '200x94',
    },
    at: { '355m': [], '360m': [uneven], '425m': [uneven], '430m': [] },
  },
  {
    alert: 'SdsCapacityImbalance',
    name: 'is silent for a little unevenness, one node, and a node without a total',
    step: 5,
    series: {
      [ALLOCATED]: '60x80',
      [TOTAL]: '100x80',
      [`${ALLOCATED}{node="n2"}`]: '25x80',
      [`${TOTAL}{node="n2"}`]: '100x80',
      [`${ALLOCATED}{node="n3"}`]: '0x80',
      [`${TOTAL}{node="n3"}`]: '0x80',
      [`${ALLOCATED}{pool="pool 2"}`]: '90x80',
      [`${TOTAL}{pool="pool 2"}`]: '100x80',
    },
    at: { '400m': [] },
  },
]

export const capacityCases: readonly AlertCase[] = [
  ...capacityHigh,
  ...forecastShort,
  ...forecastUnavailable,
  ...fillsSoon,
  ...imbalance,
]
