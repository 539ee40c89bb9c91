import type { SizedPanel } from '../../grafana/spec.ts'
import { type Expression, type Matcher, select } from '../../promql/expression.ts'
import { perNode, perNodeAnd, ratio, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { topPools } from './lines.ts'
import { NO_DATA } from './pool_data.ts'

/** One series per node and purpose of disk traffic. */
export const byPurpose = (direction: 'read' | 'write', ...matchers: readonly Matcher[]): Expression =>
  perNodeAnd(
    'purpose',
    select(`sds_node_disk_${direction}_purpose_bytes_per_second`, ...SCOPE.node, ...matchers),
  )

interface Words {
  readonly title: string
  readonly about: readonly [string, string, string]
}

/** Share of the disk reads of each pool with a purpose, e.g. `purpose="user"`. */
export const diskReadShare = (purpose: Matcher, words: Words): SizedPanel =>
  topPools({
    ...words,
    expr: ratio(
      sumByPool(byPurpose('read', purpose)),
      sumByPool(perNode(select('sds_node_disk_read_bytes_per_second', ...SCOPE.node))),
    ),
    unit: 'percentunit',
    noValue: NO_DATA,
    width: 12,
  })
