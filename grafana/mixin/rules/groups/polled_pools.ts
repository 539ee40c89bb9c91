import { promql, select } from '../../promql/expression.ts'
import { perPolledPool } from '../../promql/operators.ts'
import { POOL_ID_KEY } from '../../settings.ts'

const UP = select('sds_pool_up')

/** Pools whose last poll succeeded at one exporter or more. */
export const POLLED_POOLS = promql`${perPolledPool(UP)} == 1`

/** Pools that no exporter can poll, under whatever name. */
export const UNPOLLED_POOLS = promql`${perPolledPool(UP)} == 0
unless on (${POOL_ID_KEY})
${UP} == 1`
