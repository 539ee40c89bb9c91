import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Selection } from '../../grafana/mixin/promql/selection.ts'
import { drawHeatmap, drawStates } from './draw_bands.ts'
import { drawStat } from './draw_figures.ts'
import { drawTable } from './draw_table.ts'
import { drawTimeSeries, type Mark } from './draw_timeseries.ts'
import { type Box, escapeHtml } from './html.ts'
import { isRow, type PanelResult } from './panel_results.ts'
import type { Span } from './prometheus.ts'
import { CELL_HEIGHT, GAP, PADDING, styleOf } from './style.ts'

/** The input of a page. */
export interface PageContent {
  readonly dashboard: Dashboard
  readonly selection: Selection
  readonly span: Span
  readonly results: ReadonlyMap<number, PanelResult>
  readonly marks: readonly Mark[]
  /** Of the page, in pixels. */
  readonly width: number
}

type Draw = (panel: Panel, result: PanelResult, box: Box, page: PageContent) => string

const DRAW: Readonly<Record<string, Draw>> = {
  stat: (panel, { series }, box) => drawStat(panel, series, box),
  table: (panel, { series }, box) => drawTable(panel, series, box),
  heatmap: (panel, { series }, box, { span }) => drawHeatmap(panel, series, span, box),
  timeseries: (panel, { series }, box, { span, marks }) => drawTimeSeries(panel, series, span, box, marks),
  'state-timeline': (panel, { series }, box, { span }) => drawStates(panel, series, span, box),
}

/** Header, padding and border of a panel. */
const CHROME_HEIGHT = 42
const CHROME_WIDTH = 18

/** A table of several queries without results has its header only, as in Grafana. */
const isHeaderOnly = ({ type, targets = [] }: Panel): boolean => type === 'table' && targets.length > 1

const emptyText = (panel: Panel): string =>
  panel.type === 'heatmap' && panel.options.calculate
    ? 'no heatmap fields found'
    : (panel.fieldConfig?.defaults.noValue ?? 'No data')

const content = (panel: Panel, box: Box, page: PageContent): string => {
  const result = page.results.get(panel.id ?? 0) ?? { series: [], error: 'no query result' }
  if (result.error !== undefined) return `<div class="fault">${escapeHtml(result.error)}</div>`
  if (result.series.length === 0 && !isHeaderOnly(panel)) {
    return `<div class="empty">${escapeHtml(emptyText(panel))}</div>`
  }
  return DRAW[panel.type]?.(panel, result, box, page) ?? `<div class="fault">cannot draw ${panel.type}</div>`
}

function tile(panel: Panel, top: number, page: PageContent): string {
  const { x, y, w, h } = panel.gridPos ?? { x: 0, y: 0, w: 24, h: 8 }
  const cell = (page.width - 2 * PADDING + GAP) / 24
  const width = Math.round(w * cell - GAP)
  const height = h * (CELL_HEIGHT + GAP) - GAP
  const box = { width: width - CHROME_WIDTH, height: height - CHROME_HEIGHT }
  const style = `left:${Math.round(x * cell)}px;top:${(y - top) * (CELL_HEIGHT + GAP)}px;width:${width}px;height:${height}px`
  const title = (panel.title ?? '').replace('$topn', String(page.selection.topn ?? 10))
  return `<article style="${style}"><h3>${escapeHtml(title)}</h3><span class="about">ⓘ</span>${content(panel, box, page)}</article>`
}

interface Row {
  readonly row: RowPanel
  readonly panels: readonly Panel[]
}

/** The rows with their panels. The panels of a collapsed row are inside of it; those of an open row follow it. */
function rowsOf(dashboard: Dashboard): Row[] {
  const list: { row: RowPanel; panels: Panel[] }[] = []
  for (const panel of dashboard.panels ?? []) {
    if (isRow(panel)) list.push({ row: panel, panels: [...panel.panels] })
    else list.at(-1)?.panels.push(panel)
  }
  return list
}

function row({ row: header, panels }: Row, page: PageContent): string {
  const top = Math.min(...panels.map(({ gridPos }) => gridPos?.y ?? 0))
  const bottom = Math.max(...panels.map(({ gridPos }) => (gridPos?.y ?? 0) + (gridPos?.h ?? 0)))
  const note = header.collapsed ? ' <small>collapsed in Grafana until it is opened</small>' : ''
  const tiles = panels.map((panel) => tile(panel, top, page)).join('')
  const height = (bottom - top) * (CELL_HEIGHT + GAP)
  return `<h2>${escapeHtml(header.title ?? '')}${note}</h2><section style="height:${height}px">${tiles}</section>`
}

const selectedValues = ({ dashboard, selection }: PageContent): string =>
  (dashboard.templating.list ?? [])
    .filter(({ name }) => name !== 'datasource')
    .map(({ name, label }) => {
      const value = selection[name as keyof Selection]
      const text = name === 'topn' ? String(value ?? 10) : Array.isArray(value) ? value.join(' + ') : 'All'
      return `${escapeHtml(label ?? name)} <b>${escapeHtml(text)}</b>`
    })
    .join('')

const time = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** The page as one HTML file without scripts and external resources. */
export function drawPage(page: PageContent): string {
  const { dashboard, span } = page
  const title = escapeHtml(dashboard.title ?? '')
  const head = `<meta charset="utf-8"><title>${title}, preview</title><style>${styleOf(page.width)}</style>`
  const note = `A preview of layout and data, not Grafana. ${time(span.from)} to ${time(span.to)} UTC`
  const header = `<header><h1>${title}</h1><span class="note">${note}</span></header><p class="chosen">${selectedValues(page)}</p>`
  const body = rowsOf(dashboard).map((one) => row(one, page))
  return `<!doctype html><html lang="en"><head>${head}</head><body>${header}${body.join('')}</body></html>\n`
}
