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
import { SERIES_COLORS } from '../colors.ts'
import { finish, type Override, type PanelSpec, placed, type SizedPanel } from './spec.ts'

export interface TimeSeriesSpec extends Omit<PanelSpec, 'width'> {
  /** Default: half of a row. */
  readonly width?: number
  /** Values below zero occur: the axis does not begin at 0. */
  readonly signed?: boolean
  /** Only for parts of a total. */
  readonly stacked?: boolean
  readonly bars?: boolean
  /** For counts that are constant between changes. */
  readonly stepped?: boolean
  /** Draw the thresholds as dashed lines. */
  readonly limits?: boolean
  /** The labels in the names of the series have few, short values. */
  readonly fewNames?: boolean
  /** Values exist only when something happens, as those of bars: the legend has the largest instead of the last one. */
  readonly rare?: boolean
  /** Every series is a fault, so the palette, whose first colour is green, is not used. */
  readonly faults?: boolean
}

/** Whether a query returns a series for each value of a label. */
const hasManySeries = ({ queries }: Pick<PanelSpec, 'queries'>): boolean =>
  queries.some(({ legend = '' }) => legend.includes('{{'))

/** Rows that a table below the graph shows; it has a third of the height of the panel. */
const ROWS_BELOW = 3
/** A narrower panel has no room for a legend beside the graph, or for three columns of numbers. */
const WIDE_COLUMNS = 12

/** Functions of legends, with Grafana's titles of their columns. */
const COLUMN = { last: { id: 'lastNotNull', title: 'Last *' }, max: { id: 'max', title: 'Max' } } as const

/**
 * A table below the graph shows few rows, so the legend of many series is a table beside it, the largest value first. Where
 * the names are known and short, or the panel is narrow, that table would take more room than the graph: the legend is a
 * list below. The SDK disables the legend by default.
 */
const legend = (spec: TimeSeriesSpec & PanelSpec): VizLegendOptionsBuilder => {
  const builder = new VizLegendOptionsBuilder().showLegend(true)
  const wide = spec.width >= WIDE_COLUMNS
  const column = spec.bars || spec.rare ? COLUMN.max : COLUMN.last
  if (!hasManySeries(spec) && spec.queries.length <= ROWS_BELOW) {
    const calcs = wide ? ['mean', COLUMN.last.id, 'max'] : [COLUMN.last.id, 'max']
    return builder.displayMode(LegendDisplayMode.Table).placement(LegendPlacement.Bottom).calcs(calcs)
  }
  if (!wide || spec.fewNames || !hasManySeries(spec)) {
    return builder.displayMode(LegendDisplayMode.List).placement(LegendPlacement.Bottom).calcs([column.id])
  }
  return builder
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .calcs([column.id])
    .sortBy(column.title)
    .sortDesc(true)
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

const scheme = ({ faults }: TimeSeriesSpec): FieldColorBuilder =>
  faults
    ? new FieldColorBuilder().mode(FieldColorModeId.Shades).fixedColor(SERIES_COLORS.systemErrors)
    : new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic)

/** Values over time. Gaps are not joined. */
export const timeSeries = (given: TimeSeriesSpec): SizedPanel => {
  const spec = { ...(given.signed !== true && { min: 0 }), width: WIDE_COLUMNS, ...given }
  const builder = new PanelBuilder()
    .drawStyle(spec.bars ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(opacity(spec))
    .showPoints(VisibilityMode.Never)
    .spanNulls(false)
    .colorScheme(scheme(spec))
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
