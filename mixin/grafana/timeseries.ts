import {
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { FieldColorBuilder, FieldColorModeId } from '@grafana/grafana-foundation-sdk/dashboard'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries'
import { finish, type Override, type PanelSpec, placed, type SizedPanel } from './spec.ts'

export interface TimeSeriesSpec extends PanelSpec {
  /** Only for parts of a total. */
  readonly stacked?: boolean
  readonly bars?: boolean
  /** For counts that are constant between changes. */
  readonly stepped?: boolean
  /** Draw the thresholds as dashed lines. */
  readonly limits?: boolean
}

/** Whether a query returns a series for each value of a label. */
const hasManySeries = ({ queries }: PanelSpec): boolean =>
  queries.some(({ legend = '' }) => legend.includes('{{'))

/** Rows that a legend below the graph shows; it has a third of the height of the panel. */
const ROWS_BELOW = 3

/**
 * A legend below the graph shows few rows, so that of many series is beside it, the largest last value first. The SDK
 * disables the legend by default.
 */
const legend = (spec: TimeSeriesSpec): VizLegendOptionsBuilder => {
  const builder = new VizLegendOptionsBuilder().showLegend(true).displayMode(LegendDisplayMode.Table)
  if (!hasManySeries(spec) && spec.queries.length <= ROWS_BELOW) {
    return builder.placement(LegendPlacement.Bottom).calcs(['mean', 'lastNotNull', 'max'])
  }
  return builder.placement(LegendPlacement.Right).calcs(['lastNotNull']).sortBy('Last *').sortDesc(true)
}

const applyShape = (builder: PanelBuilder, spec: TimeSeriesSpec): void => {
  if (spec.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
  if (spec.softMax !== undefined) builder.axisSoftMax(placed(spec.softMax))
  if (spec.stepped) builder.lineInterpolation(LineInterpolation.StepAfter)
  if (spec.limits) {
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed))
  }
}

/** Fill of the areas in percent. Translucent fills of several lines that are not stacked would add up. */
const opacity = (spec: TimeSeriesSpec): number => {
  if (spec.bars) return 80
  if (spec.stacked) return 40
  return hasManySeries(spec) || spec.queries.length > 1 ? 0 : 10
}

/** Values over time. Gaps are not joined. */
export const timeSeries = (spec: TimeSeriesSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .drawStyle(spec.bars ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(opacity(spec))
    .showPoints(VisibilityMode.Never)
    .spanNulls(false)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic))
    .legend(legend(spec))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
  applyShape(builder, spec)
  return finish(builder, spec, 9)
}

/** A line in a fixed colour. */
export const colored = (name: string, color: string): Override => ({
  name,
  properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }],
})

/** Lines to compare with: dashed, and in a colour of their own if there is one. */
export const dashed = (name: string, color?: string): Override => ({
  name,
  properties: [
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
    ...(color === undefined ? [] : colored(name, color).properties),
  ],
})
