import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import type { Selection } from '../../../grafana/mixin/promql/selection.ts'

/** A query of a panel, with its variables. */
export interface PanelQuery {
  readonly dashboard: string
  readonly panel: string
  readonly type: string
  readonly refId: string
  readonly expr: string
  readonly legend: string
  readonly instant: boolean
}

/** All for every variable. */
export const ALL: Selection = {}

/** Panels in the order of the dashboard, including those of collapsed rows, without the rows. */
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

/** The queries of annotations. Grafana's own annotation has none. */
export const annotationQueries = (): { dashboard: string; name: string; expr: string }[] =>
  buildDashboards().flatMap(({ uid = '', annotations }) =>
    (annotations.list ?? [])
      .filter(({ expr }) => expr !== undefined)
      .map(({ name, expr = '' }) => ({ dashboard: uid, name, expr })),
  )
