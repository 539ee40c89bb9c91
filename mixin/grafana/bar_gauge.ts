import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge'
import {
  BarGaugeDisplayMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common'
import { finish, type PanelSpec, type SizedPanel } from './spec.ts'

/** One bar per series, with the last value. */
export const barGauge = (spec: PanelSpec): SizedPanel => {
  const builder = new BarGaugeBuilder()
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .displayMode(BarGaugeDisplayMode.Gradient)
    .orientation(VizOrientation.Horizontal)
    .showUnfilled(true)
  return finish(builder, { ...spec, queries: spec.queries.map((query) => ({ ...query, instant: true })) }, 8)
}
