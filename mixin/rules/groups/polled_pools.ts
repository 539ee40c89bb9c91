import { promql, select } from '../../promql/expression.ts'
import { perPoolId } from '../../promql/operators.ts'

/** Pools whose last poll succeeded at one exporter or more. */
export const POLLED_POOLS = promql`${perPoolId(select('sds_pool_up'))} == 1`
