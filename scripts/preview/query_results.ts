import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { type Selection, substitute } from '../../mixin/promql/selection.ts'
import type { Prometheus, Series, Span } from './prometheus.ts'

/** A series with the name that its legend gives it and the query that it came from. */
export interface Named extends Series {
  readonly name: string
  readonly refId: string
}

/** What a panel got: its series, or why it got none. */
export interface PanelAnswer {
  readonly series: readonly Named[]
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

const askQuery = async (
  prometheus: Prometheus,
  query: Dataquery,
  selection: Selection,
  span: Span,
): Promise<Named[]> => {
  const expr = substitute(query.expr ?? '', selection)
  const series = await (query.instant ? prometheus.instant(expr, span.to) : prometheus.range(expr, span))
  return series.map((one) => ({ ...one, name: legend(query, one), refId: query.refId ?? '' }))
}

/** Asks all queries of a panel; an error of one is the panel's, as in Grafana. */
export async function askPanel(
  prometheus: Prometheus,
  panel: Panel,
  selection: Selection,
  span: Span,
): Promise<PanelAnswer> {
  try {
    const queries = (panel.targets ?? []) as Dataquery[]
    const answers = await Promise.all(queries.map((query) => askQuery(prometheus, query, selection, span)))
    return { series: answers.flat(), error: undefined }
  } catch (failure) {
    return { series: [], error: failure instanceof Error ? failure.message : String(failure) }
  }
}

const labelValues = async (prometheus: Prometheus, label: string, metric: string, time: number) =>
  (await prometheus.instant(`group by (${label}) (${metric})`, time)).flatMap(
    ({ labels }) => labels[label] ?? [],
  )

/**
 * What Grafana would have chosen where nothing was: the exporters for All of `instance`, and the first node
 * on the page about one.
 */
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
