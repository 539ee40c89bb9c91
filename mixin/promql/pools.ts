import { POOL_ID_KEY } from '../settings.ts'
import { type Expression, promql, select } from './expression.ts'
import type { MetricName } from './metrics.ts'
import { dedup, perPoolId } from './operators.ts'
import { SCOPE } from './scope.ts'

const POOL_NAME_KEY = [...POOL_ID_KEY, 'pool'] as const

/** Restricts a vector with the labels system and pool_id to the selected pools. */
export const ofSelectedPools = (vector: Expression): Expression =>
  promql`${vector} and on (${POOL_ID_KEY}) ${dedup(POOL_NAME_KEY, select('sds_pool_info', ...SCOPE.pool))}`

/**
 * One name per pool, with the value 1. Two exporters that polled before and after a rename report two names, and
 * Prometheus refuses a join that matches two series. The name of the latest poll is used.
 */
const currentPoolName = (): Expression => {
  const info = select('sds_pool_info', ...SCOPE.system)
  const polled = select('sds_pool_last_success_timestamp_seconds', ...SCOPE.system)
  const byTime = promql`${info} * on (job,instance,${POOL_ID_KEY}) group_left () ${polled} or ${info}`
  return promql`topk by (${POOL_ID_KEY}) (1, ${dedup(POOL_NAME_KEY, byTime)}) ^ 0`
}

/**
 * Adds the label pool to a vector with the labels system and pool_id. A pool that never answered a poll has no name,
 * so its id is used.
 */
const withPoolName = (vector: Expression): Expression => {
  const known = dedup(POOL_NAME_KEY, select('sds_pool_info', ...SCOPE.system))
  const named = promql`${vector} * on (${POOL_ID_KEY}) group_left (pool) ${currentPoolName()}`
  const nameless = promql`${vector} unless on (${POOL_ID_KEY}) ${known}`
  return promql`${named} or label_replace(${nameless}, "pool", "$1", "pool_id", "(.+)")`
}

/** A metric of polls, one series per pool of the selected systems, with the name of the pool. */
export const perNamedPool = (metric: MetricName): Expression =>
  withPoolName(perPoolId(select(metric, ...SCOPE.system)))
