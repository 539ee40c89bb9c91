import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { fieldOf, paletteColor, type Shown, show } from './field.ts'
import { type Box, escapeHtml, round, textColorOn } from './html.ts'
import type { NamedSeries } from './panel_results.ts'

const last = ({ points }: NamedSeries): number => points.at(-1)?.[1] ?? Number.NaN

const figureSize = (text: string, { width, height }: Box): number =>
  Math.max(13, Math.min(height * 0.62, (width * 1.55) / Math.max(3, text.length), 46))

function spark({ points }: NamedSeries, { width, height }: Box, stroke: string): string {
  const values = points.map(([, value]) => value)
  const high = Math.max(...values)
  const low = Math.min(...values)
  const path = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * width
    return `${round(x)},${round(height - ((value - low) / (high - low || 1)) * height * 0.5)}`
  })
  const area = `<polygon points="0,${height} ${path.join(' ')} ${width},${height}" fill="${stroke}" opacity="0.2"/>`
  return `<svg class="spark" width="${width}" height="${height}">${area}<polyline points="${path.join(' ')}" fill="none" stroke="${stroke}"/></svg>`
}

function figure(panel: Panel, one: NamedSeries, box: Box, named: boolean): string {
  const field = fieldOf(panel, one.name)
  const { text, color } = show(field, last(one))
  const filled = panel.options.colorMode === 'background'
  const size = figureSize(text, { width: box.width, height: box.height * (named ? 0.75 : 1) })
  const style = filled ? `background:${color};color:${textColorOn(color)}` : `color:${color}`
  const name = named ? `<small>${escapeHtml(field.name)}</small>` : ''
  const sparkline = panel.options.graphMode === 'area' ? spark(one, box, color) : ''
  return `<div class="figure" style="${style}">${sparkline}${name}<b style="font-size:${round(size)}px">${escapeHtml(text)}</b></div>`
}

/** One large value per series, side by side. */
export function drawStat(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const width = box.width / series.length
  const named = series.length > 1
  return `<div class="figures">${series.map((one) => figure(panel, one, { ...box, width }, named)).join('')}</div>`
}

const arc = (from: number, to: number, radius: number, cx: number, cy: number): string => {
  const at = (angle: number) =>
    `${round(cx + radius * Math.cos(angle))} ${round(cy + radius * Math.sin(angle))}`
  return `M ${at(from)} A ${radius} ${radius} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}`
}

/** A gauge from 0 to 1 with thresholds. */
export function drawGauge(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const [one] = series
  if (!one) return ''
  const value = last(one)
  const shown = show(fieldOf(panel, one.name), value)
  const radius = Math.min(box.width / 2.3, box.height * 0.62)
  const [cx, cy] = [box.width / 2, box.height * 0.78]
  const angle = (part: number) => Math.PI * (1 + Math.min(1, Math.max(0, part)))
  const steps = panel.fieldConfig?.defaults.thresholds?.steps ?? []
  const rim = steps.map((step, index) => {
    const to = steps[index + 1]?.value ?? 1
    const stroke = show(fieldOf(panel, ''), step.value ?? 0).color
    return `<path d="${arc(angle(step.value ?? 0), angle(Number(to)), radius + 4, cx, cy)}" stroke="${stroke}" stroke-width="3" fill="none"/>`
  })
  const dial = (to: number, stroke: string) =>
    `<path d="${arc(angle(0), angle(to), radius - 8, cx, cy)}" stroke="${stroke}" stroke-width="16" fill="none"/>`
  return `<svg width="${box.width}" height="${box.height}">${dial(1, '#2c3037')}${dial(value, shown.color)}${rim.join('')}<text x="${cx}" y="${cy - 2}" text-anchor="middle" style="font-size:22px;fill:${shown.color}">${escapeHtml(shown.text)}</text></svg>`
}

/** One bar per series. */
export function drawBars(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const rows = Math.max(1, Math.min(series.length, Math.floor(box.height / 20)))
  const high = panel.fieldConfig?.defaults.max ?? Math.max(...series.map(last), 1e-9)
  const bar = (one: NamedSeries): string => {
    const { text, color } = show(fieldOf(panel, one.name), last(one))
    const part = Math.min(100, (last(one) / high) * 100)
    const { name } = fieldOf(panel, one.name)
    return `<div class="bar" style="height:${round(box.height / rows - 4)}px"><span>${escapeHtml(name)}</span><em><u style="width:${round(part)}%;background:${color}"></u></em><b style="color:${color}">${escapeHtml(text)}</b></div>`
  }
  return series.slice(0, rows).map(bar).join('')
}

/** A pie chart with a legend. */
export function drawPie(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const total = series.reduce((sum, one) => sum + last(one), 0) || 1
  const shown: (Shown & { name: string; part: number })[] = series.map((one, index) => {
    const field = fieldOf(panel, one.name)
    const own = show(field, last(one))
    const fixed = field.config.color?.mode === 'fixed'
    return {
      ...own,
      color: fixed ? own.color : paletteColor(index),
      name: field.name,
      part: last(one) / total,
    }
  })
  const radius = Math.min(box.width * 0.2, box.height * 0.33)
  let from = -Math.PI / 2
  const slices = shown.map(({ part, color }) => {
    const to = from + Math.min(part, 0.9999) * 2 * Math.PI
    const path = `<path d="${arc(from, to, radius, box.width * 0.33, box.height / 2)}" stroke="${color}" stroke-width="${round(radius * 0.6)}" fill="none"/>`
    from = to
    return path
  })
  const names = shown.map(
    ({ name, text, color, part }) =>
      `<li><i style="background:${color}"></i>${escapeHtml(name)} ${escapeHtml(text)} (${round(part * 100)}%)</li>`,
  )
  return `<div class="pie"><svg width="${round(box.width * 0.64)}" height="${box.height}">${slices.join('')}</svg><ul>${names.join('')}</ul></div>`
}
