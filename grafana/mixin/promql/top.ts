import { type Expression, promql } from './expression.ts'

/**
 * The `$topn` series with the largest mean over the last three hours of the time range. `@ end()` makes the choice once;
 * a plain topk would choose at each step and draw more lines.
 */
export const top = (vector: Expression): Expression =>
  promql`${vector}
and
topk($topn, avg_over_time((${vector})[3h:5m] @ end()))`
