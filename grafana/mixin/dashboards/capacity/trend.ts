import type { Duration } from '../../promql/duration.ts'
import { type Expression, promql } from '../../promql/expression.ts'
import { RECORDED, type RecordedName } from '../../promql/metrics.ts'
import { dedup } from '../../promql/operators.ts'
import { recorded, recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { LIMITS, POOL_KEY } from '../../settings.ts'

/**
 * Trends are calculated from the recorded sums of pools, not from series of nodes: a series of a node that left, or of
 * an exporter that was replaced, would be extrapolated although it has ended. They need the recording rules, which also
 * makes them fast over weeks.
 */
const ofPools = (name: RecordedName): Expression => recorded(name, SCOPE.pool)

export const ALLOCATED = ofPools(RECORDED.allocatedBytes)
export const USED_RATIO = ofPools(RECORDED.usedRatio)
const TOTAL = ofPools(RECORDED.totalBytes)

/** The value some time ago, also if a scrape or an evaluation failed just then; nothing where there was no data. */
const before = (name: RecordedName, ago: Duration): Expression =>
  dedup(POOL_KEY, promql`last_over_time(${recordedSelector(name, SCOPE.pool)}[1h] offset ${[ago]})`)

/** What a node brings when it joins, or takes away, is no growth; its data may be that of other nodes. */
const withSameNodes = (value: Expression, ago: Duration): Expression =>
  promql`(${value}) and ${ofPools(RECORDED.spaceNodes)} == ${before(RECORDED.spaceNodes, ago)}`

/** Change of the allocated space; nothing without data from so long ago, or where nodes joined or left since. */
export const growth = (ago: Duration): Expression =>
  withSameNodes(promql`${ALLOCATED} - ${before(RECORDED.allocatedBytes, ago)}`, ago)

const HISTORY: Duration = '7d'
/** One point an hour: a point each minute is a hundred times as slow and no more precise. */
const hourly = (vector: Expression): Expression => promql`(${vector})[${[HISTORY]}:1h]`

/** Keeps pools with data from the begin of the history: a trend of a few hours is no forecast of weeks. */
const withHistory = (trend: Expression): Expression => withSameNodes(trend, HISTORY)

export const PROJECTION_DAYS = 30

/** Used ratio in PROJECTION_DAYS days, by the linear trend of the last seven days. */
export const PROJECTED_RATIO = withHistory(
  promql`predict_linear(${hourly(ALLOCATED)}, ${PROJECTION_DAYS} * 86400) / (${TOTAL} > 0)`,
)

/** Seconds until the target is reached by the same trend; 0 when it is reached, nothing where the use does not grow. */
export const TREND_TO_TARGET = withHistory(
  promql`clamp_min(${TOTAL} * ${LIMITS.forecastTargetPercent} / 100 - ${ALLOCATED}, 0) / (deriv(${hourly(ALLOCATED)}) > 0)`,
)
