import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { perNodeAnd, sum, sumBy } from '../../promql/operators.ts'
import { HEALTH_COUNTS } from '../../sdk/mappings.ts'
import type { Link, SizedPanel } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { HEALTH } from '../../settings.ts'

const STATES = Object.keys(HEALTH)

/**
 * Number of nodes by health, one query per status, so that the order is constant. Good is always shown, other statuses
 * where there is a node.
 */
export const nodesByState = (
  scope: readonly Matcher[],
  otherwise: string,
  links: readonly Link[] = [],
): SizedPanel => {
  const inState = (matcher: Matcher): Expression =>
    perNodeAnd('status', select('sds_node_health_status', ...scope, matcher))
  const count = (status: string): Expression => {
    const nodes = sum(inState(`status="${status}"`))
    return status === 'Good' ? nodes : promql`${nodes} > 0`
  }
  return stat({
    title: 'Node states',
    shows: 'The selected nodes by their current health; a state without nodes is not shown.',
    normal: 'All Good, or some in Maintenance during planned work.',
    otherwise,
    queries: [
      ...STATES.map((status) => ({ expr: count(status), legend: status })),
      {
        expr: promql`${sumBy(['status'], inState(`status!~"${STATES.join('|')}"`))} > 0`,
        legend: '{{status}}',
      },
    ],
    overrides: HEALTH_COUNTS,
    links,
    width: 6,
  })
}
