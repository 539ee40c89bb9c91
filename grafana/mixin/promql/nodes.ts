import { FORECAST_MIN_SHARE } from '../../../src/alerting/conditions.ts'
import { HEALTH, NODE_KEY, POOL_KEY, UNKNOWN_HEALTH } from '../settings.ts'
import { type Expression, join, type Matcher, promql, select } from './expression.ts'
import { type Aggregate, age, by, dedup, perNode, perNodeAnd, perSystem, ratio, sumBy } from './operators.ts'
import { SCOPE } from './scope.ts'

/**
 * Seconds since timestamps of a storage system, by its own clock where the clock skew is known, as in the recording
 * rule: a wrong clock must not look like old data. The vector needs the label system.
 */
const ageBySystemClock = (timestamps: Expression): Expression => {
  const skew = perSystem(select('sds_system_clock_skew_seconds', ...SCOPE.system))
  const unknown = promql`0 * ${perSystem(select('sds_system_up', ...SCOPE.system))}`
  return promql`${age(timestamps)} + on (system) group_left () (${skew} or ${unknown})`
}

const sampled = (matchers: readonly Matcher[]): Expression =>
  select('sds_node_sample_timestamp_seconds', ...matchers)

/** Age of the newest sample of each node, of any category: the largest under each set of the labels. */
export const sampleAge = (labels: readonly string[], matchers: readonly Matcher[]): Expression =>
  ageBySystemClock(by('min', labels, perNode(sampled(matchers))))

/** Age of the newest sample of each category. */
export const sampleAgeByCategory = (matchers: readonly Matcher[]): Expression =>
  by('max', ['category'], ageBySystemClock(perNodeAnd('category', sampled(matchers))))

/**
 * Allocated relative to usable space, aggregated before the division. Only nodes that serve both values count, as in
 * the recording rule.
 */
export const usedRatio = (total: Aggregate, matchers: readonly Matcher[]): Expression => {
  const allocated = perNode(select('sds_node_disk_space_allocated_bytes', ...matchers))
  const usable = perNode(select('sds_node_disk_space_total_bytes', ...matchers))
  return ratio(total(promql`${allocated} and ${usable}`), total(promql`${usable} and ${allocated}`))
}

/**
 * The code (settings.ts, HEALTH) of the worst health status under each set of the labels. Each status is a series of
 * its own with the value 1 or 0. The worst comes first, because `or` keeps the first of equal labels; nodes are
 * filtered and aggregated before it, because `or` over all nodes takes minutes in a large fleet.
 */
export const healthCode = (labels: readonly string[], matchers: readonly Matcher[]): Expression => {
  const code = (matcher: Matcher, number: number): Expression => {
    const health = select('sds_node_health_status', ...matchers, matcher)
    return promql`${by('max', labels, promql`${health} == 1`)} * ${number}`
  }
  return join(
    [
      code(`status!~"${Object.keys(HEALTH).join('|')}"`, UNKNOWN_HEALTH.code),
      ...Object.entries(HEALTH)
        .map(([status, health]) => code(`status="${status}"`, health.code))
        .reverse(),
    ],
    '\nor\n',
  )
}

const NIC_UTILIZATIONS = [
  ['received', 'sds_node_nic_received_utilization_ratio'],
  ['transmitted', 'sds_node_nic_transmitted_utilization_ratio'],
] as const

/** The larger of the two directions of the network interfaces of each node. */
export const busierNic = (matchers: readonly Matcher[]): Expression =>
  perNode(
    join(
      NIC_UTILIZATIONS.map(([direction, metric]) => {
        const utilization = perNode(select(metric, ...matchers))
        // The label keeps `or` from dropping the second direction.
        return promql`label_replace(${utilization}, "direction", "${[direction]}", "", "")`
      }),
      ' or ',
    ),
  )

/** Forecasts of the storage system: one series per node, history and target. */
export const perForecast = (vector: Expression): Expression =>
  dedup([...NODE_KEY, 'history_days', 'target_percent'], vector)

/** The labels of the forecasts of a pool that are compared: one target, each history by itself. */
const FORECAST_KEY = [...POOL_KEY, 'history_days'] as const

/** The share of the nodes of a pool that have a forecast. @param target `target_percent`, as label or as matcher */
const forecastShare = (
  labels: readonly string[],
  scope: readonly Matcher[],
  target: readonly Matcher[],
): Expression => {
  const available = perForecast(select('sds_node_capacity_forecast_available', ...scope, ...target))
  return promql`${sumBy(labels, available)}
/ on (${POOL_KEY}) group_left ()
(${by('count', POOL_KEY, perNode(select('sds_node_info', ...scope)))} > 0)`
}

/** The share in the history that most nodes have a forecast of. */
export const poolForecastShare = (scope: readonly Matcher[], target: Matcher): Expression =>
  by('max', POOL_KEY, forecastShare(FORECAST_KEY, scope, [target]))

/**
 * The forecast of each pool, by history: the median of its nodes, if at least half of them have one. A node that is far from
 * its pool, as after an expansion, is an imbalance of the pool, not its forecast.
 */
const medianForecasts = (
  labels: readonly string[],
  scope: readonly Matcher[],
  target: readonly Matcher[],
): Expression =>
  promql`${by('quantile', labels, promql`0.5, ${perForecast(select('sds_node_capacity_forecast_seconds', ...scope, ...target))}`)}
and
${forecastShare(labels, scope, target)} >= ${FORECAST_MIN_SHARE}`

/** The shortest of all histories. */
export const poolForecast = (scope: readonly Matcher[], target: Matcher): Expression =>
  by('min', POOL_KEY, medianForecasts(FORECAST_KEY, scope, [target]))

/** The forecasts of all targets, by history. */
export const poolForecasts = (scope: readonly Matcher[]): Expression =>
  medianForecasts([...FORECAST_KEY, 'target_percent'], scope, [])
