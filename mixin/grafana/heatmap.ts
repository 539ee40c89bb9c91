import {
  HeatmapCalculationBucketConfigBuilder,
  HeatmapCalculationOptionsBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder, YAxisConfigBuilder } from '@grafana/grafana-foundation-sdk/heatmap'
import { finish, type PanelSpec, type SizedPanel } from './spec.ts'

interface HeatmapSpec extends PanelSpec {
  /** Grafana sorts the values of many series into buckets; otherwise the query returns buckets. */
  readonly calculate?: boolean
}

/** Each bucket is twice as wide as the one before, because latencies span orders of magnitude. */
const calculation = (): HeatmapCalculationOptionsBuilder =>
  new HeatmapCalculationOptionsBuilder().yBuckets(
    new HeatmapCalculationBucketConfigBuilder().scale(
      new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(2),
    ),
  )

/** Number of values in each bucket over time. */
export const heatmap = (spec: HeatmapSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .calculate(spec.calculate ?? false)
    .yAxis(new YAxisConfigBuilder().unit(spec.unit))
    .showLegend()
  if (spec.calculate) builder.calculation(calculation())
  return finish(builder, spec, 8)
}
