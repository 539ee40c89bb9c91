import { NO_DATA_HEALTH, POLLS_FAIL_HEALTH, POOL_KEY, THRESHOLDS } from '../settings.ts'
import { type Expression, type Matcher, promql, select } from './expression.ts'
import { healthCode, sampleAge } from './nodes.ts'
import { age, dedup } from './operators.ts'

/** Result of the last poll of each pool, at the exporter where it succeeded if there is one. */
export const polled = (matchers: readonly Matcher[]): Expression =>
  dedup(POOL_KEY, select('sds_pool_up', ...matchers))

/** Pools that an exporter reported within a day, with the value 0. */
export const poolsOfDay = (matchers: readonly Matcher[]): Expression =>
  promql`${dedup(POOL_KEY, promql`last_over_time(${select('sds_pool_up', ...matchers)}[1d])`)} * 0`

/** What is wrong with the data of a pool, the worst last. */
export const DATA_CODES = { current: 0, old: 1, failing: 2, notReported: 3 } as const

/** The code (DATA_CODES) of every pool that was reported within a day. */
export const dataCode = (matchers: readonly Matcher[]): Expression =>
  promql`(${polled(matchers)} == 0) + ${DATA_CODES.failing}
or
(${sampleAge(POOL_KEY, matchers)} > ${THRESHOLDS.sampleAgeSeconds.critical}) * 0 + ${DATA_CODES.old}
or
${polled(matchers)} * 0
or
${poolsOfDay(matchers)} + ${DATA_CODES.notReported}`

/** One series for each pool whose last poll failed, with the most frequent reason as label `result`. */
export const failureReason = (matchers: readonly Matcher[]): Expression => {
  const failed = select('sds_pool_polls_total', ...matchers, 'result!="ok"')
  return promql`topk by (${POOL_KEY}) (1, ${dedup([...POOL_KEY, 'result'], promql`increase(${failed}[1h])`)} > 0)
and on (${POOL_KEY})
${polled(matchers)} == 0`
}

/** Seconds since the last successful poll of every pool that was reported within a day. */
export const lastPollAge = (matchers: readonly Matcher[]): Expression =>
  age(
    dedup(
      POOL_KEY,
      promql`last_over_time(${select('sds_pool_last_success_timestamp_seconds', ...matchers)}[1d])`,
    ),
  )

/** The code of pools whose last poll failed at every exporter. */
export const pollsFail = (matchers: readonly Matcher[]): Expression =>
  promql`(${polled(matchers)} == 0) + ${POLLS_FAIL_HEALTH.code}`

/**
 * Failing polls, else the worst health of the nodes of each pool; also for pools without data that were reported within a
 * day.
 */
export const poolHealthCode = (matchers: readonly Matcher[]): Expression =>
  promql`${pollsFail(matchers)}
or
${healthCode(POOL_KEY, matchers)}
or
${poolsOfDay(matchers)} + ${NO_DATA_HEALTH.code}`
