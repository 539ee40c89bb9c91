import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import { milliseconds } from '../../grafana/mixin/promql/duration.ts'
import { type Selection, substitute } from '../../grafana/mixin/promql/selection.ts'
import type { Prometheus, Span } from './prometheus.ts'

const isRow = (panel: Panel | RowPanel): panel is RowPanel => panel.type === 'row'

export const panelsOf = (dashboard: Dashboard): Panel[] =>
  (dashboard.panels ?? []).flatMap((panel) => (isRow(panel) ? panel.panels : [panel]))

/** The range with the smallest step that the panel allows. */
export const stepped = ({ interval }: Panel, span: Span): Span =>
  interval ? { ...span, step: Math.max(span.step, milliseconds(interval) / 1000) } : span

/** The selection of Grafana at the start: all exporters as `instance`, and the first node for dashboards of one node. */
export async function initialSelection(
  prometheus: Prometheus,
  dashboard: Dashboard,
  time: number,
): Promise<Selection> {
  const variables = dashboard.templating.list ?? []
  const needsNode = variables.some(({ name, multi }) => name === 'node' && !multi)
  const exporters = await prometheus.instant('group by (instance) (sds_exporter_build_info)', time)
  const selection = { instance: exporters.flatMap(({ labels }) => labels['instance'] ?? []) }
  if (!needsNode) return selection
  const expr = substitute('sds_node_info{system=~"$system",pool=~"$pool"}', selection)
  const [first] = await prometheus.instant(`topk(1, max by (system,pool,node) (${expr}))`, time)
  const { system = '', pool = '', node = '' } = first?.labels ?? {}
  return first ? { ...selection, system: [system], pool: [pool], node: [node] } : selection
}
