import {
  HeatmapCalculationBucketConfigBuilder,
  HeatmapCalculationOptionsBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder, YAxisConfigBuilder } from '@grafana/grafana-foundation-sdk/heatmap'
import { finish, type PanelSpec, type Tile } from './spec.ts'

interface HeatmapSpec extends PanelSpec {
  /** Sort the values of many series into buckets here; otherwise the query answers with buckets. */
  readonly calculate?: boolean
}

/** Buckets that double: latencies span orders of magnitude. */
const calculation = (): HeatmapCalculationOptionsBuilder =>
  new HeatmapCalculationOptionsBuilder().yBuckets(
    new HeatmapCalculationBucketConfigBuilder().scale(
      new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(2),
    ),
  )

/** How many fall where, over time. */
export const heatmap = (spec: HeatmapSpec): Tile => {
  const builder = new PanelBuilder()
    .calculate(spec.calculate ?? false)
    .yAxis(new YAxisConfigBuilder().unit(spec.unit))
    .showLegend()
  if (spec.calculate) builder.calculation(calculation())
  return finish(builder, spec, 8)
}
