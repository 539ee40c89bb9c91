import {
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  TimelineValueAlignment,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/statetimeline'
import { finish, type PanelSpec, type SizedPanel } from './spec.ts'

/** One band per series, coloured by state. A band is empty where there is no data. */
export const stateTimeline = (spec: PanelSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .mergeValues(true)
    .showValue(VisibilityMode.Never)
    .alignValue(TimelineValueAlignment.Left)
    .rowHeight(0.8)
    .perPage(20)
    .lineWidth(0)
    .fillOpacity(80)
    .spanNulls(false)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .calcs([]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single).sort(SortOrder.None))
  return finish(builder, spec, 8)
}
