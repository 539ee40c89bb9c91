import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge'
import {
  BarGaugeDisplayMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common'
import { finish, type PanelSpec, type Tile } from './spec.ts'

/** One bar a series, as it is now: for comparing members with each other. */
export const barGauge = (spec: PanelSpec): Tile => {
  const builder = new BarGaugeBuilder()
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .displayMode(BarGaugeDisplayMode.Gradient)
    .orientation(VizOrientation.Horizontal)
    .showUnfilled(true)
  return finish(builder, { ...spec, queries: spec.queries.map((query) => ({ ...query, instant: true })) }, 8)
}
