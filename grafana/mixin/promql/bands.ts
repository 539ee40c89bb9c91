import { HEALTH, NO_DATA_HEALTH, NODE_KEY, POOL_KEY } from '../settings.ts'
import { type Expression, join, type Matcher, promql, select } from './expression.ts'
import { type MetricName, RECORDED } from './metrics.ts'
import { dedup } from './operators.ts'
import { pollsFail, poolsOfDay } from './pools.ts'
import { recordedSelector } from './recorded.ts'

/** Prometheus sorts series by their labels, and this name comes before all others. */
const RANK = '_rank'
/** Ranks are single digits, because they are sorted as text. */
const LAST_RANK = 9

/** A function over the time range of the dashboard, evaluated once and not at each step. */
const inRange =
  (operation: 'min' | 'max') =>
  (selector: Expression): Expression =>
    promql`${[`${operation}_over_time`]}(${selector}[$__range] @ end())`

/** The bands that `worst` lists, those with its largest values first. */
const worstFirst = (labels: readonly string[], bands: Expression, worst: Expression): Expression =>
  promql`(
${bands}
)
* on (${labels}) group_left (${[RANK]})
count_values by (${labels}) ("${[RANK]}", ${LAST_RANK} - (
${worst}
))`

/** The recorded codes that were not Good at some time in the range. */
const worstHealth = (labels: readonly string[], selector: Expression): Expression =>
  promql`(${dedup(labels, inRange('max')(selector))} > ${HEALTH.Good.code})`

/** Health of the nodes that were not Good in the time range, the worst first. */
export const nodeHealthBands = (matchers: readonly Matcher[]): Expression => {
  const selector = recordedSelector(RECORDED.healthCode, matchers)
  // Also with few points, a band shows the states between them.
  const worstOfStep = promql`max_over_time(${selector}[$__interval])`
  return worstFirst(NODE_KEY, dedup(NODE_KEY, worstOfStep), worstHealth(NODE_KEY, selector))
}

/** Health of the worst node of the pools that had no data or were not Good in the time range, the worst first. */
export const poolHealthBands = (matchers: readonly Matcher[]): Expression => {
  const selector = recordedSelector(RECORDED.poolHealthCode, matchers)
  const polled = dedup(POOL_KEY, inRange('min')(select('sds_pool_up', ...matchers)))
  const now = dedup(POOL_KEY, promql`${selector} @ end()`)
  const withoutData = promql`(${polled} unless ${now}) * 0 + ${NO_DATA_HEALTH.code}`
  return worstFirst(
    POOL_KEY,
    promql`${pollsFail(matchers)}\nor\n${dedup(POOL_KEY, selector)}\nor\n${poolsOfDay(matchers)} + ${NO_DATA_HEALTH.code}`,
    join([withoutData, worstHealth(POOL_KEY, selector), promql`(${polled} == 0) + 1`], '\nor\n'),
  )
}

/** Bands of 1 and 0 that were 0 at some time in the range. */
export const interruptedBands = (
  labels: readonly string[],
  metric: MetricName,
  matchers: readonly Matcher[],
): Expression => {
  const selector = select(metric, ...matchers)
  return promql`${dedup(labels, selector)} and on (${labels}) ${dedup(labels, inRange('min')(selector))} == 0`
}
