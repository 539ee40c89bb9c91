import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { buildDashboards } from '../../grafana/build.ts'
import { PROMETHEUS } from '../../grafana/settings.ts'

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

/** What is chosen in the variables; a list stands for several values, undefined for All. */
export interface Selection {
  readonly job?: readonly string[]
  readonly instance?: readonly string[]
  readonly system?: readonly string[]
  readonly pool?: readonly string[]
  readonly node?: readonly string[]
  readonly topn?: number
}

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

/** As Grafana escapes a value inside a regular expression inside a PromQL string. */
const escapeValue = (value: string): string => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\\$&`)

const pattern = (values: readonly string[] | undefined): string => {
  if (values === undefined) return '.+'
  const [only, ...more] = values.map(escapeValue)
  return more.length === 0 ? (only ?? '.+') : `(${[only, ...more].join('|')})`
}

const RATE_INTERVAL = `${(4 * PROMETHEUS.scrapeIntervalSeconds) / 60}m`

/** The expression that Grafana sends to Prometheus for a selection. */
export const substitute = (expr: string, selection: Selection = ALL): string =>
  expr
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll('$topn', String(selection.topn ?? 10))
    .replaceAll('"$job"', `"${pattern(selection.job)}"`)
    .replaceAll('"$instance"', `"${pattern(selection.instance)}"`)
    .replaceAll('"$system"', `"${pattern(selection.system)}"`)
    .replaceAll('"$system|"', `"${pattern(selection.system)}|"`)
    .replaceAll('"$pool"', `"${pattern(selection.pool)}"`)
    .replaceAll('"$node"', `"${pattern(selection.node)}"`)

/** All panel queries as Prometheus would get them for a selection. */
export const substitutedQueries = (selection: Selection): PanelQuery[] =>
  panelQueries().map((query) => ({ ...query, expr: substitute(query.expr, selection) }))
