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
import { finish, type Override, type PanelSpec, type Tile } from './spec.ts'

interface TimeSeriesSpec extends PanelSpec {
  /** Only for parts of a whole. */
  readonly stacked?: boolean
  readonly bars?: boolean
  /** Counts that hold until they change. */
  readonly stepped?: boolean
  /** Draw the thresholds as lines across the panel. */
  readonly limits?: boolean
  /** Lines to compare with each other: no fill that would mix, and the highest first in the legend. */
  readonly many?: boolean
}

/** Without it the SDK turns the legend off. */
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
  if (spec.softMax !== undefined) builder.axisSoftMax(spec.softMax)
  if (spec.stepped) builder.lineInterpolation(LineInterpolation.StepAfter)
  if (spec.limits) {
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed))
  }
}

/** The fill of the areas, in percent: strong where they are stacked, so that borders are seen. */
const opacity = ({ stacked, bars, many }: TimeSeriesSpec): number => {
  if (many) return 0
  return bars ? 80 : stacked ? 40 : 10
}

/** Courses over time. Gaps stay gaps: that no data came is itself a fact. */
export const timeSeries = (spec: TimeSeriesSpec): Tile => {
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

/** A line to compare with, not a measurement of the thing itself. */
export const dashed = (name: string, color = 'text'): Override => ({
  name,
  properties: [
    { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
    { id: 'custom.fillOpacity', value: 0 },
    { id: 'color', value: { mode: 'fixed', fixedColor: color } },
  ],
})
