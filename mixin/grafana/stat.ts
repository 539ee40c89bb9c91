import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder as GaugeBuilder } from '@grafana/grafana-foundation-sdk/gauge'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { finish, type PanelSpec, type Query, type Tile } from './spec.ts'

interface StatSpec extends PanelSpec {
  /** Fill the tile with the colour: for words that must be seen from across the room. */
  readonly background?: boolean
  /** Draw the course behind the figure; the query then reads the whole range. */
  readonly sparkline?: boolean
}

/** Without a calculation Grafana shows nothing at all. */
const last = (): ReduceDataOptionsBuilder =>
  new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false)

/**
 * Instant, so that a figure whose series ended disappears instead of standing there as if it were current.
 */
const now = (queries: readonly Query[]): Query[] => queries.map((query) => ({ ...query, instant: true }))

/** One figure a query, large; with several, each has its name below. */
export const stat = (spec: StatSpec): Tile => {
  const builder = new StatBuilder()
    .reduceOptions(last())
    .graphMode(spec.sparkline ? BigValueGraphMode.Area : BigValueGraphMode.None)
    .colorMode(spec.background ? BigValueColorMode.Background : BigValueColorMode.Value)
    .textMode(BigValueTextMode.Auto)
    .orientation(VizOrientation.Auto)
  return finish(builder, spec.sparkline ? spec : { ...spec, queries: now(spec.queries) }, 4)
}

/** A ratio on a dial with the thresholds on its rim. */
export const gauge = (spec: PanelSpec): Tile =>
  finish(
    new GaugeBuilder().reduceOptions(last()).showThresholdMarkers(true).orientation(VizOrientation.Auto),
    { ...spec, queries: now(spec.queries) },
    4,
  )
