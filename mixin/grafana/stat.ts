import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder as GaugeBuilder } from '@grafana/grafana-foundation-sdk/gauge'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { finish, type PanelSpec, type Query, type SizedPanel } from './spec.ts'

interface StatSpec extends PanelSpec {
  /** Colour the background, for states. */
  readonly background?: boolean
  /** Draw the values over time behind the number; the query then covers the whole range. */
  readonly sparkline?: boolean
}

/** Without a calculation Grafana shows nothing. */
const last = (): ReduceDataOptionsBuilder =>
  new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false)

/** Instant, so that a number disappears when its series ends, instead of showing an old value as current. */
const now = (queries: readonly Query[]): Query[] => queries.map((query) => ({ ...query, instant: true }))

/** One large number per query; with several queries each has its name. */
export const stat = (spec: StatSpec): SizedPanel => {
  const builder = new StatBuilder()
    .reduceOptions(last())
    .graphMode(spec.sparkline ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .colorMode(spec.background ? BigValueColorMode.Background : BigValueColorMode.Value)
    .textMode(BigValueTextMode.Auto)
    .orientation(VizOrientation.Auto)
  return finish(builder, spec.sparkline ? spec : { ...spec, queries: now(spec.queries) }, 4)
}

/** A ratio as a gauge with its thresholds. */
export const gauge = (spec: PanelSpec): SizedPanel =>
  finish(
    new GaugeBuilder().reduceOptions(last()).showThresholdMarkers(true).orientation(VizOrientation.Auto),
    { ...spec, queries: now(spec.queries) },
    4,
  )
