import { HEALTH, NODE_KEY, UNKNOWN_HEALTH } from '../settings.ts'
import { type Expression, join, type Matcher, promql, select } from './expression.ts'
import { type Aggregate, age, by, dedup, perNode, perNodeAnd, perSystem, ratio } from './operators.ts'
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

/** The larger of the two directions of the network interfaces of each node. */
export const busierNic = (matchers: readonly Matcher[]): Expression =>
  perNode(
    join(
      (['received', 'transmitted'] as const).map((direction) => {
        const utilization = perNode(select(`sds_node_nic_${direction}_utilization_ratio`, ...matchers))
        // The label keeps `or` from dropping the second direction.
        return promql`label_replace(${utilization}, "direction", "${[direction]}", "", "")`
      }),
      ' or ',
    ),
  )

/** Forecasts of the storage system: one series per node, history and target. */
export const perForecast = (vector: Expression): Expression =>
  dedup([...NODE_KEY, 'history_days', 'target_percent'], vector)
