import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { milliseconds } from '../../grafana/mixin/promql/duration.ts'
import { type Selection, substitute } from '../../grafana/mixin/promql/selection.ts'
import type { Prometheus, Series, Span } from './prometheus.ts'

/** A series with its name in the legend and the refId of its query. */
export interface NamedSeries extends Series {
  readonly name: string
  readonly refId: string
}

/** The series of a panel, or the error of its queries. */
export interface PanelResult {
  readonly series: readonly NamedSeries[]
  readonly error: string | undefined
}

export const isRow = (panel: Panel | RowPanel): panel is RowPanel => panel.type === 'row'

export const panelsOf = (dashboard: Dashboard): Panel[] =>
  (dashboard.panels ?? []).flatMap((panel) => (isRow(panel) ? panel.panels : [panel]))

const legend = (query: Dataquery, { labels }: Series): string => {
  const format = query.legendFormat
  if (!format) return Object.values(labels).join(' ')
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => labels[name] ?? '')
}

const runQuery = async (
  prometheus: Prometheus,
  query: Dataquery,
  selection: Selection,
  span: Span,
): Promise<NamedSeries[]> => {
  const expr = substitute(query.expr ?? '', { ...selection, intervalSeconds: span.step })
  const series = await (query.instant ? prometheus.instant(expr, span.to) : prometheus.range(expr, span))
  return series.map((one) => ({ ...one, name: legend(query, one), refId: query.refId ?? '' }))
}

/** The range with the smallest step that the panel allows. */
export const stepped = ({ interval }: Panel, span: Span): Span =>
  interval ? { ...span, step: Math.max(span.step, milliseconds(interval) / 1000) } : span

/** Runs all queries of a panel. The first error becomes the error of the panel, as in Grafana. */
export async function queryPanel(
  prometheus: Prometheus,
  panel: Panel,
  selection: Selection,
  span: Span,
): Promise<PanelResult> {
  try {
    const queries = (panel.targets ?? []) as Dataquery[]
    const results = await Promise.all(
      queries.map((query) => runQuery(prometheus, query, selection, stepped(panel, span))),
    )
    return { series: results.flat(), error: undefined }
  } catch (failure) {
    return { series: [], error: failure instanceof Error ? failure.message : String(failure) }
  }
}

const labelValues = async (prometheus: Prometheus, label: string, metric: string, time: number) =>
  (await prometheus.instant(`group by (${label}) (${metric})`, time)).flatMap(
    ({ labels }) => labels[label] ?? [],
  )

/** Adds Grafana's defaults to a selection: all exporters as `instance`, and the first node for dashboards of one node. */
export async function completeSelection(
  prometheus: Prometheus,
  dashboard: Dashboard,
  given: Selection,
  time: number,
): Promise<Selection> {
  const variables = dashboard.templating.list ?? []
  const needsNode = variables.some(({ name, multi }) => name === 'node' && !multi)
  const instance = await labelValues(prometheus, 'instance', 'sds_exporter_build_info', time)
  const selection = { ...(instance.length > 0 && { instance }), ...given }
  if (!needsNode || given.node) return selection
  const expr = substitute('sds_node_info{system=~"$system",pool=~"$pool"}', selection)
  const [first] = await prometheus.instant(`topk(1, max by (system,pool,node) (${expr}))`, time)
  const { system = '', pool = '', node = '' } = first?.labels ?? {}
  return first ? { ...selection, system: [system], pool: [pool], node: [node] } : selection
}
