import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { buildDashboards } from '../../../mixin/dashboards/build.ts'
import { type Selection, substitute } from '../../../mixin/promql/selection.ts'

/** A query of a panel, of an annotation or of a variable, as Grafana keeps it: with its variables. */
export interface PanelQuery {
  readonly dashboard: string
  readonly panel: string
  readonly type: string
  readonly refId: string
  readonly expr: string
  readonly legend: string
  readonly instant: boolean
}

/** Nothing chosen: All everywhere. */
export const ALL: Selection = {}

/** Panels in the order of the page, those inside rows included, the rows themselves not. */
export const panelsOf = (dashboard: Dashboard): Panel[] =>
  (dashboard.panels ?? []).flatMap((panel) => (isRow(panel) ? panel.panels : [panel]))

export const isRow = (panel: Panel | RowPanel): panel is RowPanel => panel.type === 'row'

export const queriesOf = (panel: Panel): Dataquery[] => (panel.targets ?? []) as Dataquery[]

/** Every query of every panel of the dashboards. */
export const panelQueries = (): PanelQuery[] =>
  buildDashboards().flatMap((dashboard) =>
    panelsOf(dashboard).flatMap((panel) =>
      queriesOf(panel).map((query) => ({
        dashboard: dashboard.uid ?? '',
        panel: panel.title ?? '',
        type: panel.type,
        refId: query.refId ?? '',
        expr: query.expr ?? '',
        legend: query.legendFormat ?? '',
        instant: query.instant ?? false,
      })),
    ),
  )

/** The queries of annotations, by dashboard; Grafana's own entry has none. */
export const annotationQueries = (): { dashboard: string; name: string; expr: string }[] =>
  buildDashboards().flatMap(({ uid = '', annotations }) =>
    (annotations.list ?? [])
      .filter(({ expr }) => expr !== undefined)
      .map(({ name, expr = '' }) => ({ dashboard: uid, name, expr })),
  )

/** All panel queries as Prometheus would get them for a selection. */
export const substitutedQueries = (selection: Selection): PanelQuery[] =>
  panelQueries().map((query) => ({ ...query, expr: substitute(query.expr, selection) }))
