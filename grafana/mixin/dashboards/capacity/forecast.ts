import type { Duration } from '../../promql/duration.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { perForecast, poolForecast, poolForecasts, usedRatio } from '../../promql/nodes.ts'
import { by, perNode, sumByPool, top } from '../../promql/operators.ts'
import { lastPollAge } from '../../promql/pools.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToNode, rowToPool, seriesToPool } from '../../sdk/links.ts'
import { REACHED_MAPPINGS } from '../../sdk/mappings.ts'
import { lineSteps, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { dashed, timeSeries } from '../../sdk/timeseries.ts'
import { LIMITS, NODE_KEY, POOL_KEY, THRESHOLDS } from '../../settings.ts'
import { POOL_NAME } from '../common/lines.ts'
import { NEEDS_RULES } from './space.ts'
import { growth, TREND_TO_TARGET } from './trend.ts'

const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`

const timeLeft = (title: string, expr: Expression): Column => ({
  title,
  expr,
  unit: 'dtdurations',
  decimals: 0,
  mappings: REACHED_MAPPINGS,
  steps: steps(THRESHOLDS.forecastSeconds),
})

const growthColumn = (title: string, ago: Duration): Column => ({
  title,
  expr: growth(ago),
  unit: 'bytes',
  decimals: 1,
})

const unavailable = sumByPool(
  promql`1 - ${perForecast(select('sds_node_capacity_forecast_available', ...SCOPE.pool))}`,
)

export const whenFull = table({
  title: 'When pools are full',
  shows: `Used and free space of each pool, the change of its allocated space within the last day, week and month, and the time until ${LIMITS.forecastTargetPercent} % is used: by the storage system's own forecast (the median of its nodes, if half of them have one; the shortest of its histories), and by the linear trend of the last seven days. “N/A” is the number of forecasts of nodes that the storage system does not make, because usage decreases or its history is too short.`,
  normal:
    'Both times are months and similar. The week is about seven times the day, the month about four times the week.',
  otherwise:
    'A day far above a seventh of its week is sudden growth. A time is missing where the use does not grow. Growth and trend are missing for as long as their time if a node joined or left, because its data is no growth. They need the recording rules and data from so long ago: the default retention of Prometheus is 15 days.',
  rows: POOL_KEY,
  columns: [
    {
      title: 'Used',
      expr: usedRatio(sumByPool, SCOPE.pool),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.usedRatio),
    },
    {
      title: 'Free',
      expr: sumByPool(perNode(select('sds_node_disk_space_free_bytes', ...SCOPE.pool))),
      unit: 'bytes',
      decimals: 1,
    },
    growthColumn('1 day', '1d'),
    growthColumn('7 days', '7d'),
    growthColumn('30 days', '30d'),
    timeLeft(`${LIMITS.forecastTargetPercent} % by system`, poolForecast(SCOPE.pool, TARGET)),
    timeLeft(`${LIMITS.forecastTargetPercent} % by trend`, TREND_TO_TARGET),
    { title: 'N/A', expr: unavailable },
    { title: 'Last poll', expr: lastPollAge(SCOPE.pool), unit: 's', decimals: 0 },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Used',
  noValue: 'No pool was reported within a day',
})

/** A year: longer times would hide those that matter. */
const LONGEST_SECONDS = 365 * 86_400

/** The pools with the shortest times. */
const soonest = (seconds: Expression): Expression =>
  promql`-(
${top(promql`-clamp_max(${seconds}, ${LONGEST_SECONDS})`)}
)`

export const timeToTarget = timeSeries({
  title: `Top $topn pools: time to ${LIMITS.forecastTargetPercent} %, two forecasts`,
  shows: `Time until ${LIMITS.forecastTargetPercent} % of the space of a pool is used, of the pools that are full soonest: solid by the storage system's own forecast (the median of the nodes), dashed by the linear trend of the seven days before. Times above a year are drawn as a year. There is no trend within seven days after a node joined or left.`,
  normal: 'Both lines of a pool are similar and decrease by a day each day.',
  otherwise:
    'Where the lines differ, the growth changed: the trend of seven days follows faster. A line that drops is new use: find the client that writes.',
  queries: [
    { expr: soonest(recorded(RECORDED.forecast, SCOPE.pool)), legend: POOL_NAME },
    { expr: soonest(TREND_TO_TARGET), legend: `${POOL_NAME}, by trend` },
  ],
  unit: 'dtdurations',
  decimals: 0,
  steps: lineSteps(THRESHOLDS.forecastSeconds),
  limits: true,
  overrides: [dashed('/, by trend$/')],
  noValue: NEEDS_RULES,
  links: [seriesToPool],
  width: 24,
  height: 10,
})

const MATRIX_KEY = ['system', 'pool', 'target_percent', 'history_days'] as const

export const forecastMatrix = table({
  title: 'Time until target',
  shows:
    "The storage systems' own forecasts: the median of the nodes of a pool, by target and by days of history.",
  normal: 'Months. There is no row where the system makes no forecast of half of the nodes.',
  otherwise:
    'Red is less than a week, yellow less than a month, “reached” means that the target is passed. Compare the histories: a short one shows a recent change.',
  rows: MATRIX_KEY,
  labelTitles: { target_percent: 'Target', history_days: 'Days' },
  columns: [timeLeft('Time left', poolForecasts(SCOPE.pool))],
  cellLinks: { pool: rowToPool },
  sortBy: 'Time left',
  ascending: true,
  noValue: 'No forecast, or no data: see “Data”',
  width: 12,
})

export const closest = table({
  title: `Top $topn nodes closest to ${LIMITS.forecastTargetPercent} %`,
  shows: 'The nodes with the shortest forecast of the storage system.',
  normal: 'Months.',
  otherwise:
    'Click a node to open it. One node that is far from its pool is an imbalance, as after an expansion; several nodes of one pool mean that the pool needs disks.',
  rows: NODE_KEY,
  columns: [
    timeLeft(
      'Time left',
      promql`bottomk($topn, ${by('min', NODE_KEY, perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.pool, TARGET)))})`,
    ),
  ],
  cellLinks: { node: rowToNode },
  sortBy: 'Time left',
  ascending: true,
  noValue: 'No forecast, or no data: see “Data”',
  width: 12,
})
