import { missingAttributes, QUERIED, type QueriedAttribute } from '../../api/query/merge.ts'
import { KEPT_SECONDS } from '../../api/query/past_reader.ts'
import { ATTRIBUTES } from '../../catalogue.ts'
import type { HistorySeries } from '../../history/series.ts'
import { QUERY_SOURCES } from '../../query_catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR, timeText } from '../../time_units.ts'
import type { PlanOptions } from './plan.ts'
import type { ListedPool } from './pools.ts'

/** The line about a system whose Flux API cannot be used. */
export function missingText(system: string, lacks: boolean, reason: string): string {
  return lacks
    ? `system ${system}: its dashboard API keeps only the history of the capacity; CPU, memory, network, transactions and disk I/O are missing: ${reason}`
    : `system ${system}: the Flux API is not read: ${reason}`
}

const KINDS = [
  { bucket: 'monitoring_main', what: 'transactions, latency and disk I/O' },
  { bucket: 'monitoring_op', what: 'CPU, memory and network' },
] as const

const wholeHour = (seconds: number) => Math.floor(seconds / SECONDS_PER_HOUR) * SECONDS_PER_HOUR

/** One line for each kind of metrics that the system has deleted a part of. */
export function timeLimits({ period, nowSeconds }: PlanOptions): string[] {
  return KINDS.flatMap(({ bucket, what }) => {
    const keptSeconds = KEPT_SECONDS[bucket] ?? 0
    const keptFrom = nowSeconds - keptSeconds
    if (period.start >= keptFrom) return []
    const since = period.end <= keptFrom ? 'are missing' : `begin about ${timeText(wholeHour(keptFrom))}`
    return [`${what} ${since}: the Flux API keeps them for ${keptSeconds / SECONDS_PER_DAY} days`]
  })
}

/** The attributes that a pool gets from the Flux API. */
export function queriedAttributes(
  { reading }: Pick<ListedPool, 'reading'>,
  { source }: Pick<PlanOptions, 'source'>,
): readonly QueriedAttribute[] {
  return source === 'query' ? QUERIED : missingAttributes(reading)
}

/**
 * The attributes that are not written.
 * @param current what the Flux API has of the last minutes
 */
export function attributeLimits(
  current: readonly HistorySeries[],
  release: string,
  pools: readonly ListedPool[],
  options: PlanOptions,
): string[] {
  const asked = new Set(pools.flatMap((pool) => queriedAttributes(pool, options)))
  const unserved = [...asked].filter((name) => !current.some((series) => isOf(name, series)))
  const unknown = ATTRIBUTES.filter(({ name, category, currentOnly }) => {
    const isInFeed = pools.every(({ reading }) => (reading.coverage.get(name)?.served ?? 0) > 0)
    const isQueried = category === 'capacity' || name in QUERY_SOURCES
    return !currentOnly && !isQueried && (options.source === 'query' || !isInFeed)
  })
  const names = unknown.map(({ name }) => name).join(', ')
  return [
    ...(unserved.length > 0 ? [`${release} does not serve ${unserved.join(', ')}`] : []),
    ...(names === '' ? [] : [`the Flux API has no ${names}: latencies are in the histogram`]),
    ...(options.source === 'query'
      ? ['capacity is not written, because --source=query does not read the dashboard API']
      : []),
  ]
}

function isOf(name: QueriedAttribute, { family, labels }: HistorySeries): boolean {
  if (name === 'transactionErrors') return family === 'sds_node_transaction_errors_ratio'
  return ATTRIBUTES.some(
    (attribute) =>
      attribute.name === name &&
      attribute.historyFamily === family &&
      Object.entries(attribute.labels).every(([label, value]) => labels[label] === value),
  )
}
