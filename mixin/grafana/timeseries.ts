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

interface TimeSeriesSpec extends PanelSpec {
  /** Only for parts of a total. */
  readonly stacked?: boolean
  readonly bars?: boolean
  /** For counts that are constant between changes. */
  readonly stepped?: boolean
  /** Draw the thresholds as dashed lines. */
  readonly limits?: boolean
  /** For many lines: no fill, and the legend sorted by the maximum. */
  readonly many?: boolean
}

/** The SDK disables the legend by default. */
const legend = ({ many }: TimeSeriesSpec): VizLegendOptionsBuilder => {
  const builder = new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Bottom)
    .calcs(['mean', 'lastNotNull', 'max'])
  return many ? builder.sortBy('Max').sortDesc(true) : builder
}

const applyShape = (builder: PanelBuilder, spec: TimeSeriesSpec): void => {
  if (spec.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
  if (spec.softMax !== undefined) builder.axisSoftMax(placed(spec.softMax))
  if (spec.stepped) builder.lineInterpolation(LineInterpolation.StepAfter)
  if (spec.limits) {
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed))
  }
}

/** Fill of the areas in percent; stronger where they are stacked, so that their borders are visible. */
const opacity = ({ stacked, bars, many }: TimeSeriesSpec): number => {
  if (many) return 0
  return bars ? 80 : stacked ? 40 : 10
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
  return finish(builder, spec, 8)
}

/** A dashed line, for values to compare with. */
export const dashed = (name: string, color = 'text'): Override => ({
  name,
  properties: [
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
    { id: 'custom.fillOpacity', value: 0 },
    { id: 'color', value: { mode: 'fixed', fixedColor: color } },
  ],
})
