import { POOL_ID_KEY } from '../settings.ts'
import type { Duration } from './duration.ts'
import { type Expression, promql, select } from './expression.ts'
import { age, dedup, perPolledPool, perSystem } from './operators.ts'

const UP = select('sds_pool_up')
const INTERVAL = perSystem(select('sds_system_poll_interval_seconds'))

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
${intervals} * ${INTERVAL}`

/** Seconds between two polls above which a window of 15 minutes may have none. */
const RARE_SECONDS = 600
/** Has four polls of a system that is polled every hour. */
const RARE_WINDOW: Duration = '4h'

/**
 * A comparison over a window of polls, and for systems that are polled rarely also over a longer one. Its result has the
 * label `system`. Without a known interval there is only the first window.
 */
export const sinceLastPolls = (
  window: Duration,
  of: (window: Duration, rare: boolean) => Expression,
): Expression => promql`(
(${of(window, false)})
or
((${of(RARE_WINDOW, true)}) and on (system) ${INTERVAL} > ${RARE_SECONDS})
)`
