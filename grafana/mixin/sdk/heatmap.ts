import {
  HeatmapCalculationBucketConfigBuilder,
  HeatmapCalculationMode,
  HeatmapCalculationOptionsBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  CellValuesBuilder,
  FilterValueRangeBuilder,
  PanelBuilder,
  YAxisConfigBuilder,
} from '@grafana/grafana-foundation-sdk/heatmap'
import { finish, type PanelSpec, PLAIN_NUMBER, type SizedPanel, WITHOUT_EMPTY } from './spec.ts'

interface HeatmapSpec extends PanelSpec {
  /** Grafana sorts the values of many series into buckets; otherwise the query returns rates of buckets. */
  readonly calculate?: boolean
}

/** Buckets in each doubling of the value: each is 1.19 times as wide as the one before. */
const BUCKETS_PER_DOUBLING = '4'

const calculation = (): HeatmapCalculationOptionsBuilder =>
  new HeatmapCalculationOptionsBuilder().yBuckets(
    new HeatmapCalculationBucketConfigBuilder()
      .mode(HeatmapCalculationMode.Size)
      .value(BUCKETS_PER_DOUBLING)
      .scale(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(2)),
  )

/**
 * Rates per second up to this are not drawn. Rates of two buckets with the same events differ slightly, because each is
 * extrapolated, and their difference would look like events.
 */
const NEGLIGIBLE_RATE = 1e-3

export const heatmap = (spec: HeatmapSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .calculate(spec.calculate ?? false)
    .yAxis(new YAxisConfigBuilder().unit(spec.unit ?? PLAIN_NUMBER))
    .showLegend()
  if (spec.calculate) builder.calculation(calculation())
  else {
    builder
      .filterValues(new FilterValueRangeBuilder().le(NEGLIGIBLE_RATE))
      .cellValues(new CellValuesBuilder().unit('reqps'))
  }
  return finish(builder, spec, 9, [WITHOUT_EMPTY])
}
