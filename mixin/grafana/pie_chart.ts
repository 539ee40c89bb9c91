import {
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  PanelBuilder,
  PieChartLegendOptionsBuilder,
  PieChartLegendValues,
  PieChartType,
} from '@grafana/grafana-foundation-sdk/piechart'
import { finish, type PanelSpec, type SizedPanel } from './spec.ts'

/** Parts of a total, with the last values. */
export const pieChart = (spec: PanelSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .pieType(PieChartType.Donut)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .legend(
      new PieChartLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Right)
        .values([PieChartLegendValues.Value, PieChartLegendValues.Percent]),
    )
  return finish(builder, { ...spec, queries: spec.queries.map((query) => ({ ...query, instant: true })) }, 8)
}
