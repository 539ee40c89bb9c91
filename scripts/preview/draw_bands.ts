import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Plot, timeAxis, valueAxis, xOf } from './axes.ts'
import { fieldOf, show } from './field.ts'
import { type Box, bandTextColor, escapeHtml, round } from './html.ts'
import type { NamedSeries } from './panel_results.ts'
import type { Span } from './prometheus.ts'
import { format } from './units.ts'

interface Band {
  readonly from: number
  readonly to: number
  readonly value: number
}

/** Merges consecutive points with the same value; a missing point ends a band. */
function bandsOf({ points }: NamedSeries, step: number): Band[] {
  const list: Band[] = []
  for (const [time, value] of points) {
    const open = list.at(-1)
    if (open && open.value === value && time - open.to <= step * 0.5) {
      list[list.length - 1] = { ...open, to: time + step }
    } else list.push({ from: time, to: time + step, value })
  }
  return list
}

const CHARACTER_PIXELS = 8.5
const TEXT_MARGIN_PIXELS = 2

const bandText = (text: string, x: number, y: number, width: number, fill: string): string => {
  const characters = Math.floor(width / CHARACTER_PIXELS)
  if (characters < 2) return ''
  return `<text class="band" x="${round(x + TEXT_MARGIN_PIXELS)}" y="${round(y)}" style="fill:${bandTextColor(fill)}">${escapeHtml(text.slice(0, characters))}</text>`
}

/** One row per series, coloured by state, with the state as text; the first page of rows. */
export function drawStates(panel: Panel, series: readonly NamedSeries[], span: Span, box: Box): string {
  const perPage = Number(panel.options.perPage ?? series.length)
  const shown = series.slice(0, perPage)
  const below = panel.options.perPage === undefined ? 50 : 90
  const plot: Plot = { left: 230, top: 4, width: box.width - 242, height: box.height - below, span }
  const each = plot.height / shown.length
  const thick = each * Number(panel.options.rowHeight ?? 0.9)
  const drawn = shown.map((one, index) => {
    const middle = plot.top + (index + 0.5) * each
    const name = `<text x="${plot.left - 8}" y="${round(middle + 4)}" text-anchor="end">${escapeHtml(one.name)}</text>`
    const parts = bandsOf(one, span.step).map(({ from, to, value }) => {
      const x = Math.max(plot.left, xOf(plot, from))
      const width = Math.max(1, Math.min(plot.left + plot.width, xOf(plot, to)) - x)
      const { color, text } = show(fieldOf(panel, one.name), value)
      const rect = `<rect x="${round(x)}" y="${round(middle - thick / 2)}" width="${round(width)}" height="${round(thick)}" fill="${color}"/>`
      return rect + bandText(text, x, middle + 4, width, color)
    })
    return name + parts.join('')
  })
  const svg = `<svg width="${box.width}" height="${round(plot.height + 24)}">${timeAxis(plot)}${drawn.join('')}</svg>`
  const pages = Math.ceil(series.length / perPage)
  const pager = panel.options.perPage === undefined ? '' : `<p class="pages">page 1 of ${pages}</p>`
  return svg + stateLegend(panel, series) + pager
}

function stateLegend(panel: Panel, series: readonly NamedSeries[]): string {
  const values = [...new Set(series.flatMap(({ points }) => points.map(([, value]) => value)))].sort()
  const items = values.map((value) => {
    const { text, color } = show(fieldOf(panel, ''), value)
    return `<li><i style="background:${color}"></i>${escapeHtml(text)}</li>`
  })
  return `<ul class="states">${items.join('')}</ul>`
}

interface Cell {
  readonly column: number
  readonly bucket: number
  readonly count: number
}

/** Cells from values, in `split` buckets for each doubling. The bucket is the binary logarithm of its upper bound. */
const cellsOfValues =
  (split: number) =>
  (series: readonly NamedSeries[], columnOf: (time: number) => number): Cell[] =>
    series.flatMap(({ points }) =>
      points
        .filter(([, value]) => value > 0)
        .map(([time, value]) => ({
          column: columnOf(time),
          bucket: Math.ceil(Math.log2(value) * split) / split,
          count: 1,
        })),
    )

/** Cells from Prometheus' buckets. They are cumulative, so the next lower bucket is subtracted. */
function cellsOfHistogram(series: readonly NamedSeries[], columnOf: (time: number) => number): Cell[] {
  const sorted = series
    .filter(({ labels }) => labels['le'] !== '+Inf')
    .toSorted((a, b) => Number(a.labels['le']) - Number(b.labels['le']))
  return sorted.flatMap(({ labels, points }, index) => {
    const below = new Map(sorted[index - 1]?.points ?? [])
    return points.map(([time, value]) => ({
      column: columnOf(time),
      bucket: Math.log2(Number(labels['le'])),
      count: value - (below.get(time) ?? 0),
    }))
  })
}

/** Counts by time and bucket; the opacity grows with the count. */
export function drawHeatmap(panel: Panel, series: readonly NamedSeries[], span: Span, box: Box): string {
  const plot: Plot = { left: 70, top: 6, width: box.width - 80, height: box.height - 36, span }
  const columns = Math.min(80, Math.max(1, Math.round((span.to - span.from) / span.step)))
  const columnOf = (time: number) => Math.floor(((time - span.from) / (span.to - span.from)) * columns)
  const split = Number(panel.options.calculation?.yBuckets?.value ?? 1)
  const negligible = Number(panel.options.filterValues?.le ?? 0)
  const cells = (panel.options.calculate ? cellsOfValues(split) : cellsOfHistogram)(series, columnOf)
  const buckets = [...new Set(cells.map(({ bucket }) => bucket))].sort((a, b) => a - b)
  const sums = new Map<string, number>()
  for (const { column, bucket, count } of cells) {
    const key = `${column}/${buckets.indexOf(bucket)}`
    sums.set(key, (sums.get(key) ?? 0) + count)
  }
  const maxCount = Math.max(...sums.values(), 1e-9)
  const [wide, high] = [plot.width / columns, plot.height / Math.max(1, buckets.length)]
  const drawn = [...sums]
    .filter(([, count]) => count > negligible)
    .map(([key, count]) => {
      const [column = 0, row = 0] = key.split('/').map(Number)
      const y = plot.top + plot.height - (row + 1) * high
      return `<rect x="${round(plot.left + column * wide)}" y="${round(y)}" width="${round(wide - 1)}" height="${round(high - 1)}" fill="#ff9830" opacity="${round(0.15 + 0.85 * Math.sqrt(count / maxCount))}"/>`
    })
  const labels = buckets.map((bucket, row) => ({
    y: plot.top + plot.height - (row + 1) * high,
    text: format(2 ** bucket, panel.fieldConfig?.defaults.unit),
  }))
  const every = Math.ceil(labels.length / 8)
  const axis = valueAxis(
    plot,
    labels.filter((_, index) => index % every === 0),
  )
  return `<svg width="${box.width}" height="${box.height}">${timeAxis(plot)}${axis}${drawn.join('')}</svg>`
}
