import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
  VizTextDisplayOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { finish, type PanelSpec, type SizedPanel } from './spec.ts'

/** Sizes in pixels. Without them, Grafana makes the text of a panel as large as it fits. */
const TEXT = { title: 12, value: 20 } as const

/**
 * One number per query; with several queries each has its name. The queries are instant, so that a number disappears
 * when its series ends: the last value of a range can be hours old. The background shows a state, because coloured text
 * is hard to read in one of the two themes.
 */
export const stat = (spec: PanelSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.BackgroundSolid)
    .textMode(BigValueTextMode.Auto)
    .wideLayout(false)
    .text(new VizTextDisplayOptionsBuilder().titleSize(TEXT.title).valueSize(TEXT.value))
    .orientation(VizOrientation.Vertical)
  return finish(builder, { ...spec, queries: spec.queries.map((query) => ({ ...query, instant: true })) }, 3)
}
