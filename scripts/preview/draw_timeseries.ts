import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Plot, ticks, timeAxis, valueAxis, xOf } from './axes.ts'
import { color, type Field, fieldOf, paletteColor } from './field.ts'
import { type Box, escapeHtml, round } from './html.ts'
import type { NamedSeries } from './panel_results.ts'
import type { Span } from './prometheus.ts'
import { format } from './units.ts'

type Point = readonly [time: number, value: number]

interface Curve {
  readonly field: Field
  readonly color: string
  readonly points: readonly Point[]
  /** Lower bound of a stacked curve, by point. */
  readonly base: readonly number[]
}

const strokeOf = (field: Field, index: number): string => {
  const own = field.config.color
  // Shades of a colour are drawn as this colour.
  return ['fixed', 'shades'].includes(own?.mode ?? '') && own?.fixedColor
    ? color(own.fixedColor)
    : paletteColor(index)
}

/** The curves of a panel, stacked if the panel is configured so. */
function stack(panel: Panel, series: readonly NamedSeries[]): Curve[] {
  const stacked = panel.fieldConfig?.defaults.custom?.stacking?.mode === 'normal'
  const heights = new Map<number, number>()
  return series.map(({ name, points }, index) => {
    const field = fieldOf(panel, name)
    const base = points.map(([time]) => (stacked ? (heights.get(time) ?? 0) : 0))
    const raised = points.map(([time, value], at): Point => [time, value + (base[at] ?? 0)])
    for (const [time, value] of raised) heights.set(time, value)
    return { field, color: strokeOf(field, index), points: raised, base }
  })
}

interface Scale {
  readonly low: number
  readonly high: number
  readonly y: (value: number) => number
}

function scaleOf(curves: readonly Curve[], { config, custom }: Field, plot: Plot): Scale {
  const values = curves.flatMap(({ points }) => points.map(([, value]) => value)).filter(Number.isFinite)
  const low = config.min ?? Math.min(...values)
  const highest = Math.max(...values)
  const limit = config.max ?? Math.max(highest * 1.08, Number(custom['axisSoftMax'] ?? 0))
  const high = limit > low ? limit : low + 1
  return { low, high, y: (value) => plot.top + plot.height * (1 - (value - low) / (high - low)) }
}

/** Splits a curve at missing points, so that gaps are not connected. */
function pieces(points: readonly Point[], step: number): number[][] {
  const list: number[][] = []
  for (const [index, [time]] of points.entries()) {
    const before = points[index - 1]?.[0]
    if (before === undefined || time - before > step * 1.5) list.push([])
    list.at(-1)?.push(index)
  }
  return list
}

function line(curve: Curve, plot: Plot, scale: Scale): string {
  const { custom } = curve.field
  const opacity = Number(custom['fillOpacity'] ?? 0) / 100
  const dash = custom['lineStyle'] ? ' stroke-dasharray="6 5"' : ''
  const at = (index: number, value: number) =>
    `${round(xOf(plot, curve.points[index]?.[0] ?? 0))},${round(scale.y(value))}`
  return pieces(curve.points, plot.span.step)
    .map((piece) => {
      const top = piece.map((index) => at(index, curve.points[index]?.[1] ?? 0))
      const bottom = piece.map((index) => at(index, Math.max(scale.low, curve.base[index] ?? 0))).reverse()
      return (
        `<polygon points="${[...top, ...bottom].join(' ')}" fill="${curve.color}" opacity="${opacity}"/>` +
        `<polyline points="${top.join(' ')}" fill="none" stroke="${curve.color}" stroke-width="1.4"${dash}/>`
      )
    })
    .join('')
}

function bars(curve: Curve, plot: Plot, scale: Scale): string {
  const width = Math.max(1, (plot.width / ((plot.span.to - plot.span.from) / plot.span.step)) * 0.8)
  return curve.points
    .map(([time, value], index) => {
      const bottom = scale.y(curve.base[index] ?? 0)
      const top = scale.y(value)
      return `<rect x="${round(xOf(plot, time) - width / 2)}" y="${round(top)}" width="${round(width)}" height="${round(bottom - top)}" fill="${curve.color}"/>`
    })
    .join('')
}

function limits(panel: Panel, plot: Plot, scale: Scale): string {
  if (!panel.fieldConfig?.defaults.custom?.thresholdsStyle) return ''
  return (panel.fieldConfig.defaults.thresholds?.steps ?? [])
    .filter(
      ({ value, color: name }) =>
        name !== 'transparent' && value !== null && value >= scale.low && value <= scale.high,
    )
    .map(({ value, color: name }) => {
      const y = round(scale.y(Number(value)))
      return `<line x1="${plot.left}" x2="${plot.left + plot.width}" y1="${y}" y2="${y}" stroke="${color(name)}" stroke-dasharray="8 6" opacity="0.7"/>`
    })
    .join('')
}

const LEGEND_LINE = 19

interface Entry {
  readonly curve: Curve
  readonly values: readonly number[]
}

/** Legend entries in the order of the queries, or of the values of a column if the panel is configured so. */
function entries(panel: Panel, curves: readonly Curve[], series: readonly NamedSeries[]): Entry[] {
  const list = curves.map((curve, index) => ({
    curve,
    values: (series[index]?.points ?? []).map(([, value]) => value),
  }))
  const column = Object.values(CALCULATIONS).find(([title]) => title === panel.options.legend?.sortBy)
  if (!column) return list
  const [, of] = column
  return list.sort((a, b) => of(b.values) - of(a.values))
}

const CALCULATIONS: Readonly<
  Record<string, readonly [title: string, of: (values: readonly number[]) => number]>
> = {
  mean: ['Mean', (values) => values.reduce((sum, value) => sum + value, 0) / values.length],
  lastNotNull: ['Last *', (values) => values.at(-1) ?? Number.NaN],
  max: ['Max', (values) => Math.max(...values)],
}

const calculationsOf = (panel: Panel) =>
  ((panel.options.legend?.calcs ?? []) as string[]).flatMap((name) => {
    const calculation = CALCULATIONS[name]
    return calculation ? [calculation] : []
  })

/** Names with their values, one after the other. */
function legendList(panel: Panel, list: readonly Entry[]): string {
  const calculations = calculationsOf(panel)
  return list
    .map(({ curve: { field, color: stroke }, values }) => {
      const figures = calculations.map(
        ([title, of]) => `${title}: ${format(of(values), field.config.unit, field.config.decimals)}`,
      )
      return `<span class="entry"><i style="background:${stroke}"></i>${escapeHtml([field.name, ...figures].join(' '))}</span> `
    })
    .join('')
}

/** As many lines as fit; Grafana scrolls the others. */
function legendTable(panel: Panel, list: readonly Entry[], height: number): string {
  const shown = list.slice(0, Math.max(1, Math.floor(height / LEGEND_LINE) - 1))
  const calculations = calculationsOf(panel)
  const rows = shown.map(({ curve: { field, color: stroke }, values }) => {
    const cells = calculations.map(
      ([, of]) => `<td>${escapeHtml(format(of(values), field.config.unit, field.config.decimals))}</td>`,
    )
    return `<tr><th><i style="background:${stroke}"></i>${escapeHtml(field.name)}</th>${cells.join('')}</tr>`
  })
  const head = `<tr class="head"><th></th>${calculations.map(([title]) => `<td>${title}</td>`).join('')}</tr>`
  return `<table class="legend">${head}${rows.join('')}</table>`
}

/** Vertical line of an annotation. */
export interface Mark {
  readonly time: number
  readonly color: string
}

/** Grafana gives a legend below the graph a third of its height, and one beside it up to 60 % of its width. */
const LEGEND_HEIGHT = 0.35
const LEGEND_WIDTH = 0.42

export function drawTimeSeries(
  panel: Panel,
  series: readonly NamedSeries[],
  span: Span,
  box: Box,
  marks: readonly Mark[],
): string {
  const beside = panel.options.legend?.placement === 'right'
  const lines = Math.min(series.length + 1, Math.floor((box.height * LEGEND_HEIGHT) / LEGEND_LINE))
  const height = beside ? box.height : box.height - lines * LEGEND_LINE - 4
  const width = beside ? box.width * (1 - LEGEND_WIDTH) : box.width
  const plot: Plot = { left: 78, top: 6, width: width - 88, height: height - 28, span }
  const curves = stack(panel, series)
  const graph = `<svg width="${round(width)}" height="${round(height)}">${drawGraph(panel, curves, plot, marks)}</svg>`
  const shown = entries(panel, curves, series)
  const legend =
    panel.options.legend?.displayMode === 'list'
      ? `<div class="legend">${legendList(panel, shown)}</div>`
      : legendTable(panel, shown, beside ? height : lines * LEGEND_LINE)
  return `<div class="${beside ? 'beside' : ''}">${graph}<div>${legend}</div></div>`
}

function drawGraph(panel: Panel, curves: readonly Curve[], plot: Plot, marks: readonly Mark[]): string {
  const defaults = fieldOf(panel, '')
  const scale = scaleOf(curves, defaults, plot)
  const axis = ticks(scale.low, scale.high, plot.height / 45, defaults.config.unit).map((value) => ({
    y: scale.y(value),
    text: format(value, defaults.config.unit, defaults.config.decimals),
  }))
  const draw = defaults.custom['drawStyle'] === 'bars' ? bars : line
  const drawn = curves.map((curve) => draw(curve, plot, scale)).join('')
  const lined = marks
    .map(({ time, color: stroke }) => {
      const x = round(xOf(plot, time))
      return `<line x1="${x}" x2="${x}" y1="${plot.top}" y2="${plot.top + plot.height}" stroke="${stroke}" stroke-dasharray="3 3"/>`
    })
    .join('')
  return timeAxis(plot) + valueAxis(plot, axis) + drawn + limits(panel, plot, scale) + lined
}
