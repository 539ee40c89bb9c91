import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { fieldOf, show } from './field.ts'
import { type Box, cellTextColor, escapeHtml, round } from './html.ts'
import type { NamedSeries } from './panel_results.ts'

const DEFAULT_VALUE_PIXELS = 46
const DEFAULT_TITLE_PIXELS = 16

const last = ({ points }: NamedSeries): number => points.at(-1)?.[1] ?? Number.NaN

function figure(panel: Panel, one: NamedSeries, width: number, named: boolean): string {
  const field = fieldOf(panel, one.name)
  const { text, color } = show(field, last(one))
  const { titleSize = DEFAULT_TITLE_PIXELS, valueSize = DEFAULT_VALUE_PIXELS } = panel.options.text ?? {}
  const filled = panel.options.colorMode === 'background_solid' && color !== 'transparent'
  const style = filled ? `background:${color};color:${cellTextColor(color)}` : ''
  const name = named ? `<small style="font-size:${titleSize}px">${escapeHtml(field.name)}</small>` : ''
  return `<div class="figure" style="width:${round(width)}px;${style}">${name}<b style="font-size:${valueSize}px">${escapeHtml(text)}</b></div>`
}

/** One value per series, side by side. */
export function drawStat(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const named = series.length > 1
  const width = box.width / series.length
  return `<div class="figures">${series.map((one) => figure(panel, one, width, named)).join('')}</div>`
}
