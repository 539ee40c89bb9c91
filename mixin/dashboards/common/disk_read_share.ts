import { seriesToPool } from '../../grafana/links.ts'
import type { PanelSpec, SizedPanel } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, type Matcher, select } from '../../promql/expression.ts'
import { perNode, perNodeAnd, ratio, sumByPool } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { NO_DATA } from './served_attributes.ts'

/** One series per node and purpose of disk traffic. */
export const byPurpose = (direction: 'read' | 'write', ...matchers: readonly Matcher[]): Expression =>
  perNodeAnd(
    'purpose',
    select(`sds_node_disk_${direction}_purpose_bytes_per_second`, ...SCOPE.node, ...matchers),
  )

/** Share of the disk reads of each pool with a purpose, e.g. `purpose="user"`. */
export const diskReadShare = (purpose: Matcher, words: Pick<PanelSpec, 'title' | 'about'>): SizedPanel =>
  timeSeries({
    ...words,
    queries: [
      {
        expr: ratio(
          sumByPool(byPurpose('read', purpose)),
          sumByPool(perNode(select('sds_node_disk_read_bytes_per_second', ...SCOPE.node))),
        ),
        legend: '{{system}} / {{pool}}',
      },
    ],
    unit: 'percentunit',
    noValue: NO_DATA,
    links: [seriesToPool],
    width: 12,
  })
