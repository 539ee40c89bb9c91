import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Plot, timeAxis, valueAxis, xOf } from './axes.ts'
import { fieldOf, show } from './field.ts'
import { type Box, escapeHtml, round } from './html.ts'
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

/** One row per series, coloured by state. */
export function drawStates(panel: Panel, series: readonly NamedSeries[], span: Span, box: Box): string {
  const shown = series.slice(0, Math.max(1, Math.floor((box.height - 50) / 14)))
  const plot: Plot = { left: 170, top: 4, width: box.width - 182, height: box.height - 50, span }
  const each = Math.min(34, plot.height / shown.length)
  const drawn = shown.map((one, index) => {
    const y = plot.top + index * each
    const name = `<text x="${plot.left - 8}" y="${round(y + each / 2 + 4)}" text-anchor="end">${escapeHtml(one.name)}</text>`
    const parts = bandsOf(one, span.step).map(({ from, to, value }) => {
      const x = Math.max(plot.left, xOf(plot, from))
      const end = Math.min(plot.left + plot.width, xOf(plot, to))
      const { color } = show(fieldOf(panel, one.name), value)
      return `<rect x="${round(x)}" y="${round(y + 2)}" width="${round(Math.max(0, end - x))}" height="${round(each - 4)}" fill="${color}" opacity="0.85"/>`
    })
    return name + parts.join('')
  })
  const axis = timeAxis({ ...plot, height: each * shown.length })
  const svg = `<svg width="${box.width}" height="${round(each * shown.length + 24)}">${axis}${drawn.join('')}</svg>`
  return svg + stateLegend(panel, series)
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

/** Cells from values, in buckets with bounds that are powers of two. */
const cellsOfValues = (series: readonly NamedSeries[], columnOf: (time: number) => number): Cell[] =>
  series.flatMap(({ points }) =>
    points
      .filter(([, value]) => value > 0)
      .map(([time, value]) => ({ column: columnOf(time), bucket: Math.ceil(Math.log2(value)), count: 1 })),
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
  const cells = (panel.options.calculate ? cellsOfValues : cellsOfHistogram)(series, columnOf)
  const buckets = [...new Set(cells.map(({ bucket }) => bucket))].sort((a, b) => a - b)
  const sums = new Map<string, number>()
  for (const { column, bucket, count } of cells) {
    const key = `${column}/${buckets.indexOf(bucket)}`
    sums.set(key, (sums.get(key) ?? 0) + count)
  }
  const maxCount = Math.max(...sums.values(), 1e-9)
  const [wide, high] = [plot.width / columns, plot.height / Math.max(1, buckets.length)]
  const drawn = [...sums]
    .filter(([, count]) => count > 0)
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
