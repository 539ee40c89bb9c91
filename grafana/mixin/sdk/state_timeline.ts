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
import { finish, type PanelSpec, type SizedPanel, WITHOUT_EMPTY } from './spec.ts'

/** With more rows their names overlap. */
const ROWS_PER_PAGE = 10

interface TimelineSpec extends PanelSpec {
  /** One band, without the buttons for further pages. */
  readonly rows?: 'one'
}

/** Without a number Grafana has pages of 20; the builder refuses 0, which is no pages. */
const withoutPages = ({ panel, ...size }: SizedPanel): SizedPanel => ({
  ...size,
  panel: { ...panel, options: { ...panel.options, perPage: 0 } },
})

/** One band per series, coloured by state, with the state as text. A band is empty where there is no data. */
export const stateTimeline = (spec: TimelineSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .mergeValues(true)
    .showValue(VisibilityMode.Auto)
    .alignValue(TimelineValueAlignment.Left)
    .rowHeight(0.85)
    .lineWidth(0)
    // Opaque, so that the contrast of the text does not depend on the background.
    .fillOpacity(100)
    .spanNulls(false)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .calcs([]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single).sort(SortOrder.None))
  if (spec.rows !== 'one') builder.perPage(ROWS_PER_PAGE)
  const sized = finish(builder, spec, 9, [WITHOUT_EMPTY])
  return spec.rows === 'one' ? withoutPages(sized) : sized
}
