import type { Expression } from '../../promql/expression.ts'
import { top } from '../../promql/operators.ts'
import { seriesToNode, seriesToPool } from '../../sdk/links.ts'
import { lineSteps, type PanelSpec, type SizedPanel } from '../../sdk/spec.ts'
import { type TimeSeriesSpec, timeSeries } from '../../sdk/timeseries.ts'
import { THRESHOLDS } from '../../settings.ts'

/** The axis of shares of failed transactions, which are usually small, with the thresholds as lines. */
export const FAILURE_AXIS = {
  unit: 'percentunit',
  decimals: 2,
  softMax: THRESHOLDS.errorRatio.critical,
  steps: lineSteps(THRESHOLDS.errorRatio),
  limits: true,
} as const satisfies Partial<PanelSpec & TimeSeriesSpec>

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

/** Names of nodes are long, and Grafana gives a legend at most 60 percent of the width: so these graphs are wide. */
export const topNodes = (lines: Omit<Lines, 'width'>): SizedPanel =>
  topLines({ ...lines, width: 24 }, NODE_NAME, [seriesToNode])
