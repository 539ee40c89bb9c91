import { POOL_ID_KEY } from '../settings.ts'
import { type Expression, promql, select } from './expression.ts'
import { age, dedup, perPolledPool, perSystem } from './operators.ts'

const UP = select('sds_pool_up')

/** Pools whose last poll succeeded at one exporter or more. */
export const POLLED_POOLS = promql`${perPolledPool(UP)} == 1`

/** Pools that no exporter can poll; two exporters may know different names. */
export const UNPOLLED_POOLS = promql`${perPolledPool(UP)} == 0
unless on (${POOL_ID_KEY})
${UP} == 1`

/**
 * What was polled successfully within a number of intervals of the schedule of its system, by labels that have `system`: a
 * system that is polled every hour has one failed poll for an hour. Nothing for systems without a schedule.
 */
export const polledWithin = (
  intervals: number,
  labels: readonly string[],
): Expression => promql`${age(dedup(labels, select('sds_pool_last_success_timestamp_seconds')))}
<= on (system) group_left ()
${intervals} * ${perSystem(select('sds_system_poll_interval_seconds'))}`
