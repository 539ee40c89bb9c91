import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { buildDashboards } from '../../mixin/dashboards/build.ts'
import { type Selection, substitute } from '../../mixin/promql/selection.ts'
import { completeSelection, panelsOf, stepped } from '../preview/panel_results.ts'
import { type Prometheus, prometheusAt, type Span } from '../preview/prometheus.ts'

export interface Cost {
  /** Dashboard, panel and query. */
  readonly where: string
  readonly seconds: number
  readonly series: number
  readonly expr: string
  readonly error?: string
}

const RANGE_SECONDS = 6 * 3600
const STEPS = 360

async function costOf(
  prometheus: Prometheus,
  where: string,
  query: Dataquery,
  selection: Selection,
  span: Span,
): Promise<Cost> {
  const expr = substitute(query.expr ?? '', { ...selection, rangeSeconds: RANGE_SECONDS })
  const begin = performance.now()
  const measured = () => ({ where, expr, seconds: (performance.now() - begin) / 1000 })
  try {
    const series = await (query.instant ? prometheus.instant(expr, span.to) : prometheus.range(expr, span))
    return { ...measured(), series: series.length }
  } catch (failure) {
    return { ...measured(), series: 0, error: failure instanceof Error ? failure.message : String(failure) }
  }
}

async function costsOfDashboard(prometheus: Prometheus, dashboard: Dashboard, span: Span): Promise<Cost[]> {
  const selection = await completeSelection(prometheus, dashboard, {}, span.to)
  const costs: Cost[] = []
  for (const panel of panelsOf(dashboard)) {
    for (const query of (panel.targets ?? []) as Dataquery[]) {
      const where = `${dashboard.uid} / ${panel.title} / ${query.refId}`
      costs.push(await costOf(prometheus, where, query, selection, stepped(panel, span)))
    }
  }
  return costs
}

/** Runs every query of every panel as Grafana does, with everything selected, one after the other. */
export async function queryCosts(url: string, end: number): Promise<Cost[]> {
  const prometheus = prometheusAt(url)
  const span = { from: end - RANGE_SECONDS, to: end, step: RANGE_SECONDS / STEPS }
  const costs: Cost[] = []
  for (const dashboard of buildDashboards())
    costs.push(...(await costsOfDashboard(prometheus, dashboard, span)))
  return costs
}
