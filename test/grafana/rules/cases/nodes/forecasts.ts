import { type AlertCase, cases, fires, of } from '../case.ts'
import { POOL } from '../subjects.ts'
import { ALLOCATED, TOTAL } from './capacity.ts'

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

const forecast = (time: string) => fires(POOL, `reaches 90 % in ${time}`)
const noForecast = (share: string) => fires(POOL, '80%', share)
const REQUESTED = 'sds_pool_attribute_nodes'
const requested = (pool: string, nodes = '2x100') => ({
  [`${REQUESTED}{pool="${pool}",attribute="allocatedCapacityForecast",state="served"}`]: '0x100',
  [`${REQUESTED}{pool="${pool}",attribute="allocatedCapacityForecast",state="absent"}`]: nodes,
})

const missing = fires(POOL)

export const forecastCases: readonly AlertCase[] = [
  ...cases('SdsForecastShort', 'warning', {
    'fires after 6 hours below 30 days, by the shortest of all histories': {
      step: 5,
      series: {
        ...used(65),
        ...node(`${DAYS_20}x73 ${DAYS_40}x86`),
        ...node(`${DAYS_40}x160`, { history: 28 }),
      },
      at: { '355m': [], '360m': [forecast('20 days')], '725m': [forecast('20 days')], '730m': [] },
    },
    'fires by the median of the nodes': {
      step: 5,
      series: {
        ...used(65),
        ...node(`${DAYS_5}x80`),
        ...node(`${DAYS_20}x80`, { node: 'n2' }),
        ...node(`${DAYS_900}x80`, { node: 'n3' }),
      },
      at: { '360m': [forecast('20 days')] },
    },
    'is silent for one new node among four that are full much later, and if most nodes have no forecast': {
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
    'is silent for N/A, for other targets, and at low usage': {
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
    'is silent where the usage is not known': {
      step: 5,
      series: { ...node('0x80'), [ALLOCATED]: '85x80', [TOTAL]: '0x80' },
      at: { '400m': [] },
    },
  }),
  ...cases('SdsForecastCritical', 'critical', {
    'fires after an hour below 7 days': {
      series: { ...used(80), ...node(`${DAYS_5}x69 ${DAYS_40}x230`) },
      at: { '59m': [], '60m': [forecast('5 days')], '189m': [forecast('5 days')], '190m': [] },
    },
    'is silent with 10 days to go, with 5 days at 70 %, and with one node of three at its target': {
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
    'keeps its wait over a gap of ten minutes, but not over an hour': {
      series: {
        ...node(`${DAYS_5}x19 stale _x9 ${DAYS_5}x70`),
        [ALLOCATED]: '80x19 stale _x9 80x70',
        [TOTAL]: '100x19 stale _x9 100x70',
        ...node(`${DAYS_5}x9 stale _x49 ${DAYS_5}x40`, { pool: 'pool 2' }),
        ...of('pool="pool 2"', { [ALLOCATED]: '80x9 stale _x49 80x40', [TOTAL]: '100x9 stale _x49 100x40' }),
      },
      at: { '59m': [], '60m': [forecast('5 days')], '100m': [forecast('5 days')] },
    },
    'fires for 0, which means reached': {
      series: { ...used(91), ...node('0x60') },
      at: { '60m': [fires(POOL, 'has reached 90 %')] },
    },
  }),
  ...cases('SdsForecastUnavailable', 'info', {
    'fires after 6 hours of N/A and ends 6 hours after a forecast': {
      step: 5,
      series: {
        ...used(85),
        ...node('N/A'),
        [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '0x73 1x86',
        ...node('N/A', { history: 28 }),
      },
      at: { '355m': [], '360m': [noForecast('0%')], '725m': [noForecast('0%')], '730m': [] },
    },
    'fires if the system makes forecasts of a third of the nodes, or of another target': {
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
    'is silent when one history has a forecast of half of the nodes, at low usage, and when no forecast was requested':
      {
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
  }),
  ...cases('SdsForecastMissing', 'info', {
    'fires after 2 hours with forecasts of other targets only, and ends an hour after the first one': {
      step: 5,
      series: {
        ...requested('pool 1'),
        ...node('0x100', { percent: 80 }),
        [`${AVAILABLE}{history_days="7",target_percent="90"}`]: '_x40 0x60',
      },
      at: { '115m': [], '120m': [missing], '255m': [missing], '265m': [] },
    },
    'is silent for N/A, for pools without nodes, and where forecasts are not requested': {
      step: 5,
      series: {
        ...requested('pool 1'),
        ...node('N/A'),
        ...requested('pool 2', '0x100'),
        [`${REQUESTED}{pool="pool 3",attribute="diskSpaceTotal",state="served"}`]: '2x100',
      },
      at: { '400m': [] },
    },
  }),
]
