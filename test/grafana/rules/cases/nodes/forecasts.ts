import { type AlertCase, fired } from '../case.ts'
import { POOL } from '../subjects.ts'
import { ALLOCATED, PAGE, TOTAL } from './capacity.ts'

const FORECAST = 'sds_node_capacity_forecast_seconds'
const AVAILABLE = 'sds_node_capacity_forecast_available'

const DAYS_5 = 432_000
const DAYS_20 = 1_728_000
const DAYS_40 = 3_456_000
const DAYS_900 = 77_760_000

interface Series {
  readonly node?: string
  readonly pool?: string
  readonly history?: number
  readonly percent?: number
}

/** A node with a forecast: seconds in promtool's notation, or `N/A`. */
const node = (seconds: string, { node = 'n1', pool = 'pool 1', history = 7, percent = 90 }: Series = {}) => {
  const subject = `pool="${pool}",node="${node}"`
  const labels = `{${subject},history_days="${history}",target_percent="${percent}"}`
  return {
    [`sds_node_info{${subject}}`]: '1x300',
    [`${AVAILABLE}${labels}`]: `${Number(seconds !== 'N/A')}x300`,
    ...(seconds !== 'N/A' && { [`${FORECAST}${labels}`]: seconds }),
  }
}

const used = (percent: number, pool = 'pool 1') => ({
  [`${ALLOCATED}{pool="${pool}"}`]: `${percent}x300`,
  [`${TOTAL}{pool="${pool}"}`]: '100x300',
})

const soon = 'A storage system forecasts that one of its pools is full soon.'

const forecast = (severity: 'critical' | 'warning', time: string) =>
  fired(severity === 'critical' ? 'SdsForecastCritical' : 'SdsForecastShort', severity, 'capacity', POOL, {
    summary: soon,
    description: `Pool pool 1 of system frankfurt ${time === 'now' ? 'has reached 90 %' : `reaches 90 % in ${time}`}, by the median forecast of its nodes.`,
    dashboard: PAGE,
  })

export const forecastShort: readonly AlertCase[] = [
  {
    alert: 'SdsForecastShort',
    name: 'fires after 6 hours below 30 days, by the shortest of all histories',
    step: 5,
    series: {
      ...used(65),
      ...node(`${DAYS_20}x73 ${DAYS_40}x86`),
      ...node(`${DAYS_40}x160`, { history: 28 }),
    },
    at: {
      '355m': [],
      '360m': [forecast('warning', '20 days')],
      '725m': [forecast('warning', '20 days')],
      '730m': [],
    },
  },
  {
    alert: 'SdsForecastShort',
    name: 'fires by the median of the nodes',
    step: 5,
    series: {
      ...used(65),
      ...node(`${DAYS_5}x80`),
      ...node(`${DAYS_20}x80`, { node: 'n2' }),
      ...node(`${DAYS_900}x80`, { node: 'n3' }),
    },
    at: { '360m': [forecast('warning', '20 days')] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent for one new node among four that are full much later, and if most nodes have no forecast',
    step: 5,
    series: {
      ...used(65),
      ...node(`${DAYS_5}x80`),
      ...node(`${DAYS_900}x80`, { node: 'n2' }),
      ...node(`${DAYS_900}x80`, { node: 'n3' }),
      ...used(65, 'pool 2'),
      ...node(`${DAYS_5}x80`, { pool: 'pool 2' }),
      ...node('N/A', { pool: 'pool 2', node: 'n2' }),
      'sds_node_info{pool="pool 2",node="n3"}': '1x80',
    },
    at: { '400m': [] },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'fires after an hour below 7 days',
    series: { ...used(80), ...node(`${DAYS_5}x69 ${DAYS_40}x230`) },
    at: {
      '59m': [],
      '60m': [forecast('critical', '5 days')],
      '189m': [forecast('critical', '5 days')],
      '190m': [],
    },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'is silent with 10 days to go, with 5 days at 70 %, and with one node of three at its target',
    series: {
      ...used(80),
      ...node(`${2 * DAYS_5}x100`),
      ...used(70, 'pool 2'),
      ...node(`${DAYS_5}x100`, { pool: 'pool 2' }),
      ...used(77, 'pool 3'),
      ...node('0x100', { pool: 'pool 3' }),
      ...node(`${DAYS_40}x100`, { pool: 'pool 3', node: 'n2' }),
      ...node(`${DAYS_40}x100`, { pool: 'pool 3', node: 'n3' }),
    },
    at: { '100m': [] },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'keeps its wait over a gap of ten minutes, but not over an hour',
    series: {
      ...node(`${DAYS_5}x19 stale _x9 ${DAYS_5}x70`),
      [ALLOCATED]: '80x19 stale _x9 80x70',
      [TOTAL]: '100x19 stale _x9 100x70',
      ...node(`${DAYS_5}x9 stale _x49 ${DAYS_5}x40`, { pool: 'pool 2' }),
      [`${ALLOCATED}{pool="pool 2"}`]: '80x9 stale _x49 80x40',
      [`${TOTAL}{pool="pool 2"}`]: '100x9 stale _x49 100x40',
    },
    at: {
      '59m': [],
      '60m': [forecast('critical', '5 days')],
      '100m': [forecast('critical', '5 days')],
    },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'fires for 0, which means reached',
    series: { ...used(91), ...node('0x60') },
    at: { '60m': [forecast('critical', 'now')] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent for N/A, for other targets, and at low usage',
    step: 5,
    series: {
      ...used(85),
      ...node('N/A'),
      ...node('0x80', { percent: 80 }),
      ...used(50, 'pool 2'),
      ...node(`${DAYS_5}x80`, { pool: 'pool 2' }),
    },
    at: { '60m': [], '400m': [] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent where the usage is not known',
    step: 5,
    series: { ...node('0x80'), [ALLOCATED]: '85x80', [TOTAL]: '0x80' },
    at: { '400m': [] },
  },
]

const noForecast = (share: string) =>
  fired('SdsForecastUnavailable', 'info', 'capacity', POOL, {
    summary: 'A storage pool with high usage has no capacity forecast.',
    description: `Pool pool 1 of system frankfurt has more than 80% of its usable space allocated, and its system makes a forecast of only ${share} of its nodes: no alert warns before it is full.`,
    dashboard: PAGE,
  })

export const forecastUnavailable: readonly AlertCase[] = [
  {
    alert: 'SdsForecastUnavailable',
    name: 'fires after 6 hours of N/A and ends 6 hours after a forecast',
    step: 5,
    series: {
      ...used(85),
      ...node('N/A'),
      [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '0x73 1x86',
      ...node('N/A', { history: 28 }),
    },
    at: { '355m': [], '360m': [noForecast('0%')], '725m': [noForecast('0%')], '730m': [] },
  },
  {
    alert: 'SdsForecastUnavailable',
    name: 'fires if the system makes forecasts of a third of the nodes, or of another target',
    step: 5,
    series: {
      ...used(85),
      ...node(`${DAYS_5}x80`),
      ...node('N/A', { node: 'n2' }),
      ...node('N/A', { node: 'n3' }),
      ...node('0x80', { node: 'n2', percent: 50 }),
      ...node('0x80', { node: 'n3', percent: 50 }),
    },
    at: { '360m': [noForecast('33.33%')] },
  },
  {
    alert: 'SdsForecastUnavailable',
    name: 'is silent when one history has a forecast of half of the nodes, at low usage, and when no forecast was requested',
    step: 5,
    series: {
      ...used(85),
      ...node('N/A'),
      ...node(`${DAYS_40}x80`, { history: 28 }),
      ...node('N/A', { node: 'n2', history: 28 }),
      ...used(50, 'pool 2'),
      ...node('N/A', { pool: 'pool 2' }),
      ...used(85, 'pool 3'),
    },
    at: { '400m': [] },
  },
]

const REQUESTED = 'sds_pool_attribute_nodes'
const requested = (pool: string, nodes = '2x100') => ({
  [`${REQUESTED}{pool="${pool}",attribute="allocatedCapacityForecast",state="served"}`]: '0x100',
  [`${REQUESTED}{pool="${pool}",attribute="allocatedCapacityForecast",state="absent"}`]: nodes,
})

const missing = fired('SdsForecastMissing', 'info', 'capacity', POOL, {
  summary: 'A storage pool has no forecast with the target of the alerts.',
  description:
    'Pool pool 1 of system frankfurt is polled and its forecasts are requested, but there is none of 90 %, neither a time nor N/A: the alerts on forecasts cannot fire.',
  dashboard: PAGE,
})

const forecastMissing: readonly AlertCase[] = [
  {
    alert: 'SdsForecastMissing',
    name: 'fires after 2 hours with forecasts of other targets only, and ends an hour after the first one',
    step: 5,
    series: {
      ...requested('pool 1'),
      ...node('0x100', { percent: 80 }),
      [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '_x40 0x60',
    },
    at: { '115m': [], '120m': [missing], '255m': [missing], '265m': [] },
  },
  {
    alert: 'SdsForecastMissing',
    name: 'is silent for N/A, for pools without nodes, and where forecasts are not requested',
    step: 5,
    series: {
      ...requested('pool 1'),
      ...node('N/A'),
      ...requested('pool 2', '0x100'),
      [`${REQUESTED}{pool="pool 3",attribute="diskSpaceTotal",state="served"}`]: '2x100',
    },
    at: { '400m': [] },
  },
]

export const forecastCases: readonly AlertCase[] = [
  ...forecastShort,
  ...forecastUnavailable,
  ...forecastMissing,
]
