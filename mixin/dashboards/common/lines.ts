import { seriesToNode, seriesToPool } from '../../grafana/links.ts'
import type { PanelSpec, SizedPanel } from '../../grafana/spec.ts'
import { type TimeSeriesSpec, timeSeries } from '../../grafana/timeseries.ts'
import type { Expression } from '../../promql/expression.ts'
import { top } from '../../promql/top.ts'

/** Names of series. They always have the system and the pool, because names repeat in other systems. */
export const POOL_NAME = '{{system}} / {{pool}}'
export const NODE_NAME = '{{system}} / {{pool}} / {{node}}'

/** Storage systems make a sample every five minutes: more points cost more and show no more. */
export const SAMPLE_INTERVAL = '5m'

type Lines = Omit<TimeSeriesSpec, 'queries' | 'links'> & { readonly expr: Expression }

const topLines = ({ expr, ...panel }: Lines, legend: string, link: PanelSpec['links']): SizedPanel =>
  timeSeries({
    interval: SAMPLE_INTERVAL,
    ...panel,
    queries: [{ expr: top(expr), legend }],
    ...(link && { links: link }),
  })

/** One line for each of the `$topn` pools or nodes with the largest values. Each line links to its page. */
export const topPools = (lines: Lines): SizedPanel => topLines(lines, POOL_NAME, [seriesToPool])
export const topNodes = (lines: Lines): SizedPanel => topLines(lines, NODE_NAME, [seriesToNode])
