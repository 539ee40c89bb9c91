import { type AlertCase, fired } from '../case.ts'
import { POOL } from '../subjects.ts'
import { ALLOCATED, PAGE, TOTAL } from './capacity.ts'

const FORECAST = 'sds_node_capacity_forecast_seconds'

const AVAILABLE = 'sds_node_capacity_forecast_available'

const DAYS_5 = 432_000

const DAYS_20 = 1_728_000

const DAYS_40 = 3_456_000

const soon = 'A storage system forecasts that one of its pools is full soon.'

const forecast = (severity: 'critical' | 'warning', time: string) =>
  fired(severity === 'critical' ? 'SdsForecastCritical' : 'SdsForecastShort', severity, 'capacity', POOL, {
    summary: soon,
    description: `Pool pool 1 of system frankfurt ${time === 'now' ? 'has reached 90 %' : `reaches 90 % in ${time}`}, by the forecast of its system.`,
    dashboard: PAGE,
  })

const target = (percent: number, history: number, more = ''): string =>
  `${FORECAST}{history_days="${history}",target_percent="${percent}"${more}}`

export const forecastShort: readonly AlertCase[] = [
  {
    alert: 'SdsForecastShort',
    name: 'fires after 6 hours below 30 days, by the shortest of all nodes and histories',
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
      '360m': [forecast('warning', '20 days')],
      '725m': [forecast('warning', '20 days')],
      '730m': [],
    },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'fires after an hour below 7 days',
    series: {
      [ALLOCATED]: '80x300',
      [TOTAL]: '100x300',
      [target(90, 7)]: `${DAYS_5}x69 ${DAYS_40}x230`,
    },
    at: {
      '59m': [],
      '60m': [forecast('critical', '5 days')],
      '189m': [forecast('critical', '5 days')],
      '190m': [],
    },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'is silent with 10 days to go, nor with 5 days at 70 %',
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
    alert: 'SdsForecastCritical',
    name: 'keeps its wait over a gap of ten minutes, but not over an hour',
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
      '60m': [forecast('critical', '5 days')],
      '100m': [forecast('critical', '5 days')],
    },
  },
  {
    alert: 'SdsForecastCritical',
    name: 'fires for 0, which means reached',
    series: { [ALLOCATED]: '91x60', [TOTAL]: '100x60', [target(90, 7)]: '0x60' },
    at: { '60m': [forecast('critical', 'now')] },
  },
  {
    alert: 'SdsForecastShort',
    name: 'is silent for N/A, for other targets, and at low usage',
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
    name: 'is silent where the usage is not known',
    step: 5,
    series: { [target(90, 7)]: '0x80', [ALLOCATED]: '85x80', [TOTAL]: '0x80' },
    at: { '400m': [] },
  },
]

const noForecast = fired('SdsForecastUnavailable', 'info', 'capacity', POOL, {
  summary: 'A storage pool with high usage has no capacity forecast.',
  description:
    'Pool pool 1 of system frankfurt has more than 80% of its usable space allocated, and its system makes no forecast: no alert warns before it is full.',
  dashboard: PAGE,
})

export const forecastUnavailable: readonly AlertCase[] = [
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
    name: 'is silent when one history has a forecast, at low usage, and when no forecast was requested',
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

export const forecastCases: readonly AlertCase[] = [...forecastShort, ...forecastUnavailable]
