import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Selection, substitute } from '../../grafana/mixin/promql/selection.ts'
import type { Mark } from './draw_timeseries.ts'
import { color } from './field.ts'
import { drawPage } from './page.ts'
import { completeSelection, panelsOf, queryPanel } from './panel_results.ts'
import type { Prometheus, Span } from './prometheus.ts'

export interface PreviewOptions {
  readonly selection: Selection
  /** End of the time range, in seconds since the epoch. */
  readonly to: number
  /** Length of the time range in seconds; default: that of the dashboard. */
  readonly length: number | undefined
  /** Of the page, in pixels; default: 1600. */
  readonly width?: number
}

export interface Preview {
  readonly html: string
  /** Titles of panels without data. */
  readonly empty: readonly string[]
  /** Titles of panels with failed queries, each with the error. */
  readonly failed: readonly string[]
}

const DEFAULT_WIDTH = 1600

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400 }

/** `now-6h` in seconds. */
const lengthOf = ({ time }: Dashboard): number => {
  const [, count = '6', unit = 'h'] = /^now-(\d+)([hd])$/.exec(time?.from ?? '') ?? []
  return Number(count) * (UNIT_SECONDS[unit] ?? 3600)
}

/** About 360 points, with a step that is a multiple of 15 s. */
const spanOf = (dashboard: Dashboard, { to, length }: PreviewOptions): Span => {
  const seconds = length ?? lengthOf(dashboard)
  const step = Math.max(15, Math.round(seconds / 360 / 15) * 15)
  return { from: Math.floor((to - seconds) / step) * step, to: Math.floor(to / step) * step, step }
}

/** The start times of enabled annotations. */
async function queryAnnotations(
  prometheus: Prometheus,
  dashboard: Dashboard,
  selection: Selection,
  span: Span,
): Promise<Mark[]> {
  const list = (dashboard.annotations.list ?? []).filter(({ enable, expr }) => enable && expr)
  const marks = list.map(async ({ expr = '', iconColor = '' }) => {
    const series = await prometheus.range(substitute(expr, selection), span)
    return series.flatMap(({ points }) =>
      points.slice(0, 1).map(([time]) => ({ time, color: color(iconColor) })),
    )
  })
  return (await Promise.all(marks)).flat().filter(({ time }) => time > span.from)
}

/** Runs all queries of a dashboard and draws it. */
export async function preview(
  prometheus: Prometheus,
  dashboard: Dashboard,
  options: PreviewOptions,
): Promise<Preview> {
  const span = spanOf(dashboard, options)
  const completed = await completeSelection(prometheus, dashboard, options.selection, span.to)
  const selection = { ...completed, rangeSeconds: span.to - span.from }
  const panels = panelsOf(dashboard)
  const results = await Promise.all(panels.map((panel) => queryPanel(prometheus, panel, selection, span)))
  const marks = await queryAnnotations(prometheus, dashboard, selection, span)
  const named = panels.map(({ id = 0, title = '' }, index) => ({ id, title, result: results[index] }))
  return {
    html: drawPage({
      dashboard,
      selection,
      span,
      marks,
      width: options.width ?? DEFAULT_WIDTH,
      results: new Map(named.flatMap(({ id, result }) => (result ? [[id, result] as const] : []))),
    }),
    empty: named.flatMap(({ title, result }) =>
      result?.series.length === 0 && result.error === undefined ? [title] : [],
    ),
    failed: named.flatMap(({ title, result }) =>
      result?.error === undefined ? [] : [`${title}: ${result.error}`],
    ),
  }
}
