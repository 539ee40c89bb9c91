import { seriesToNode } from '../../grafana/links.ts'
import { type PanelSpec, type SizedPanel, steps } from '../../grafana/spec.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { THRESHOLDS } from '../../settings.ts'
import { NO_DATA } from './served_attributes.ts'

/** Latency by node with the thresholds; each line links to its node. */
export const nodeLatency = (
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
