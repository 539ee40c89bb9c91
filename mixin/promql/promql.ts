/**
 * PromQL in small pieces, so that a panel's query reads as a sentence. Two habits run through all of it:
 * series are de-duplicated before anything is summed, because a pair of exporters reports every node twice;
 * and a divisor is guarded with `> 0`, because a quiet pool must give no figure instead of NaN.
 */
import { dedup, HEALTH, MATCHERS, type Matcher, NODE_KEY, POOL_KEY, UNKNOWN_HEALTH } from '../settings.ts'

/** How much of the fleet a query sees: the variables that narrow its selectors. */
export type Scope = 'system' | 'pool' | 'node' | 'exporter' | 'polling'

const SCOPES: Readonly<Record<Scope, readonly Matcher[]>> = {
  system: ['job', 'system'],
  pool: ['job', 'system', 'pool'],
  node: ['job', 'system', 'pool', 'node'],
  exporter: ['job', 'instance'],
  polling: ['job', 'instance', 'system'],
}

/** A selector, e.g. `sds_node_disks{job=~"$job",system=~"$system"}`; `extra` are matchers as PromQL writes them. */
export const select = (metric: string, scope: Scope, ...extra: readonly string[]): string =>
  `${metric}{${[...SCOPES[scope].map((name) => MATCHERS[name]), ...extra].join(',')}}`

/** One series a node. */
export const perNode = (metric: string, scope: Scope, ...extra: readonly string[]): string =>
  dedup(NODE_KEY, select(metric, scope, ...extra))

/** One series a node and value of a further label, e.g. the status of disks. */
export const perNodeAnd = (
  label: string,
  metric: string,
  scope: Scope,
  ...extra: readonly string[]
): string => dedup([...NODE_KEY, label], select(metric, scope, ...extra))

/** One series a system. */
export const perSystem = (metric: string): string => dedup(['system'], select(metric, 'system'))

export const sum = (vector: string): string => `sum(${vector})`
export const by = (operation: string, labels: readonly string[], vector: string): string =>
  labels.length === 0 ? `${operation}(${vector})` : `${operation} by (${labels.join(',')}) (${vector})`
export const sumBy = (labels: readonly string[], vector: string): string => by('sum', labels, vector)
export const sumByPool = (vector: string): string => sumBy(POOL_KEY, vector)

/** `a / b`, nothing where b is 0. Aggregate both sides first: a mean of ratios misleads when nodes differ in size. */
export const ratio = (a: string, b: string): string => `${a} / (${b} > 0)`

/**
 * The mean of a value weighted by another, e.g. of latency by transactions: what a client sees, where the
 * plain mean of nodes would count an idle node as much as a busy one.
 */
export const weightedMean = (value: string, weight: string, total: (vector: string) => string): string =>
  ratio(total(`${value} * ${weight}`), total(`${weight} and ${value}`))

/** Seconds since times that an exporter told, by the clock of Prometheus. */
export const age = (vector: string): string => `time() - ${vector}`

const SAMPLED = 'sds_node_sample_timestamp_seconds'

/**
 * Seconds since times that a storage system told, by its own clock where that is known, as in the recording
 * rule: a wrong clock must not look like old data. The vector needs the label system.
 */
const ageBySystemClock = (vector: string): string =>
  `${age(vector)} + on (system) group_left () ${perSystem('sds_system_clock_skew_seconds')} or ${age(vector)}`

/** How long ago each node sent its newest sample of any category: the longest under each set of the labels. */
export const sampleAge = (labels: readonly string[], scope: Scope): string =>
  by('max', labels, ageBySystemClock(perNode(SAMPLED, scope)))

/** How long ago the newest sample of each category was sent. */
export const sampleAgeByCategory = (scope: Scope): string =>
  by('max', ['category'], ageBySystemClock(perNodeAnd('category', SAMPLED, scope)))

/**
 * Used relative to usable space, of everything that falls under one set of the labels. Only nodes that serve
 * both halves count, as in the recording rule: a node without the one would bend the ratio of the others.
 */
export const usedRatio = (total: (vector: string) => string, scope: Scope): string => {
  const allocated = perNode('sds_node_disk_space_allocated_bytes', scope)
  const usable = perNode('sds_node_disk_space_total_bytes', scope)
  return ratio(total(`${allocated} and ${usable}`), total(`${usable} and ${allocated}`))
}

/**
 * The code of the worst current health under each set of the labels (settings.ts, HEALTH). Each status has a
 * series of its own that is 1 or 0; times its code, the largest is the code of the current one.
 */
export const healthCode = (labels: readonly string[], scope: Scope): string => {
  const known = Object.keys(HEALTH)
  const terms = Object.entries(HEALTH).map(
    ([status, { code }]) => `${select('sds_node_health_status', scope, `status="${status}"`)} * ${code}`,
  )
  const other = select('sds_node_health_status', scope, `status!~"${known.join('|')}"`)
  return by('max', labels, [...terms, `${other} * ${UNKNOWN_HEALTH.code}`].join(' or '))
}

const FORECAST_KEY = [...NODE_KEY, 'history_days', 'target_percent'] as const

/** The storage system's own forecasts, one series a node, history and target. */
export const perForecast = (metric: string, scope: Scope, ...extra: readonly string[]): string =>
  dedup(FORECAST_KEY, select(metric, scope, ...extra))

/**
 * The nodes with the largest mean over the last three hours of the range. `@ end()` fixes the choice, where a
 * plain topk would choose anew at each step and draw more lines than it says.
 */
export const topNodes = (metric: string): string => {
  const recent = `avg_over_time(${select(metric, 'node')}[3h] @ end())`
  return `${perNode(metric, 'node')} and topk($topn, ${dedup(NODE_KEY, recent)})`
}

const POOL_ID_KEY = ['system', 'pool_id'] as const

/** The names of pools, which the exporter's own figures about polls do not carry. */
const poolNames = (scope: 'system' | 'pool'): string =>
  dedup([...POOL_ID_KEY, 'pool'], select('sds_pool_info', scope))

/** Restricts a vector keyed by system and pool_id to the pools that are selected. */
export const ofSelectedPools = (vector: string): string =>
  `${vector} and on (${POOL_ID_KEY.join(',')}) ${poolNames('pool')}`

/**
 * One name a pool, with the value 1: two exporters that polled on either side of a renaming tell two, and
 * Prometheus refuses a join that finds two. The one that polled last is right.
 */
const currentPoolName = (): string => {
  const info = select('sds_pool_info', 'system')
  const polled = select('sds_pool_last_success_timestamp_seconds', 'system')
  const byTime = `${info} * on (job,instance,${POOL_ID_KEY.join(',')}) group_left () ${polled} or ${info}`
  return `topk by (${POOL_ID_KEY.join(',')}) (1, ${dedup([...POOL_ID_KEY, 'pool'], byTime)}) ^ 0`
}

/**
 * Adds the name of the pool to a vector keyed by system and pool_id. A pool that never answered has no name
 * yet, and that is the one to see, so its id stands in.
 */
const withPoolName = (vector: string): string => {
  const on = `on (${POOL_ID_KEY.join(',')})`
  const named = `${vector} * ${on} group_left (pool) ${currentPoolName()}`
  const nameless = `label_replace(${vector} unless ${on} ${poolNames('system')}, "pool", "$1", "pool_id", "(.+)")`
  return `${named} or ${nameless}`
}

/** A figure that the exporter keeps for each pool, with the pool's name. */
export const perPool = (metric: string): string => withPoolName(dedup(POOL_ID_KEY, select(metric, 'system')))

/** Alerts have no label `job`; the empty alternative keeps those that have no label `system` either. */
export const alerts = (...extra: readonly string[]): string =>
  `ALERTS{${['alertstate="firing"', 'alertname=~"Sds.+"', 'system=~"$system|"', ...extra].join(',')}}`
