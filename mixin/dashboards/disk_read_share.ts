import { seriesToPool } from '../grafana/links.ts'
import type { PanelSpec, Tile } from '../grafana/spec.ts'
import { timeSeries } from '../grafana/timeseries.ts'
import { perNode, perNodeAnd, ratio, sumByPool } from '../promql/promql.ts'
import { SEE_OFFERS } from './common/coverage.ts'

/** One series a node and purpose of disk traffic. */
export const byPurpose = (direction: 'read' | 'write', ...extra: readonly string[]): string =>
  perNodeAnd('purpose', `sds_node_disk_${direction}_purpose_bytes_per_second`, 'node', ...extra)

/** Share of the disk reads of each pool that has such a purpose: `purpose="user"`. */
export const diskReadShare = (purpose: string, words: Pick<PanelSpec, 'title' | 'about'>): Tile =>
  timeSeries({
    ...words,
    queries: [
      {
        expr: ratio(
          sumByPool(byPurpose('read', purpose)),
          sumByPool(perNode('sds_node_disk_read_bytes_per_second', 'node')),
        ),
        legend: '{{system}} / {{pool}}',
      },
    ],
    unit: 'percentunit',
    noValue: SEE_OFFERS,
    links: [seriesToPool],
    width: 12,
  })
