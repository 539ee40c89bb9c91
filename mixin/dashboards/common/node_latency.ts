import { seriesToNode } from '../../grafana/links.ts'
import { type PanelSpec, type SizedPanel, steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { MEASURES, THRESHOLDS } from '../../settings.ts'
import { NO_DATA } from './served_attributes.ts'

/** What panels show as the latency of a node, as part of their descriptions. */
export const LATENCY_MEASURE = `the mean, or the quantile ${MEASURES.latencyQuantile} of the requests of 15 minutes where the system does not serve means.`

/** Latency by node with the thresholds; each line links to its node. */
export const latencyByNode = (
  panel: Pick<PanelSpec, 'title' | 'about' | 'width'>,
  query: PanelSpec['queries'][number],
): SizedPanel =>
  timeSeries({
    ...panel,
    queries: [query],
    unit: 's',
    min: 0,
    steps: steps(THRESHOLDS.latencySeconds),
    limits: true,
    many: true,
    noValue: NO_DATA,
    links: [seriesToNode],
  })
