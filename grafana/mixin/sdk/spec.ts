import type * as cog from '@grafana/grafana-foundation-sdk/cog'
import {
  type DataTransformerConfig,
  type DynamicConfigValue,
  type Panel,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import { COLORS, PLAIN_COLORS, type StateColor } from '../colors.ts'
import type { Expression } from '../promql/expression.ts'
import type { Reference } from '../references.ts'
import { lowerIsWorse, type Threshold } from '../settings.ts'
import { assertTitleFits } from './fit.ts'

/** The data source variable, set on panels and on queries: without it Grafana uses its default data source. */
export const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' } as const

export interface Query {
  readonly expr: Expression
  /** Series name, e.g. `{{node}}`; a table needs none. */
  readonly legend?: string
  /** Query the current value only, not the range. */
  readonly instant?: boolean
  readonly format?: 'table' | 'heatmap'
}

export interface Link {
  readonly title: string
  readonly url: string
}

export interface Override {
  /** Displayed name of the field: the legend of a series or the title of a column; `/…/` is a regular expression. */
  readonly name: string
  readonly properties: readonly DynamicConfigValue[]
}

/** Grafana's id of the unit of numbers without one. */
export const PLAIN_NUMBER = 'none'
export const DASH = '–'
/**
 * Text of an empty cell of a table, and of a series that has ended in a legend. Without it, Grafana shows the text of the
 * empty panel there.
 */
export const EMPTY_TEXT: Override = { name: '/.*/', properties: [{ id: 'noValue', value: DASH }] }

/** What a panel shows, what is normal, and what to do otherwise; full sentences. */
export interface About {
  readonly shows: string
  readonly normal: string
  readonly otherwise: string
}

export interface PanelSpec extends About {
  readonly title: string
  readonly queries: readonly Query[]
  /** Grafana's id of the unit, e.g. `percentunit`; default: a plain number. */
  readonly unit?: string
  /** In grid columns; a dashboard has 24. */
  readonly width: number
  /** In grid rows of 30 pixels. */
  readonly height?: number
  readonly min?: number
  readonly max?: number
  /** Minimum of the upper end of the axis, for ratios that are usually small. */
  readonly softMax?: number | Reference
  readonly decimals?: number
  readonly steps?: readonly Step[]
  readonly mappings?: readonly ValueMapping[]
  readonly links?: readonly Link[]
  readonly overrides?: readonly Override[]
  readonly noValue?: string
  /** Smallest time between two points of a graph, e.g. `5m`. */
  readonly interval?: string
}

/** The colour from a value upwards. The first step has the value null: minus infinity. */
export interface Step {
  readonly value: number | Reference | null
  readonly color: string
}

/** A value for a builder of the SDK. References become numbers after the panel is built. */
export const placed = (value: number | Reference): number => value as number

/** A panel and its size. Its id and position are set by layout.ts. */
export interface SizedPanel {
  readonly width: number
  readonly height: number
  readonly panel: Panel
}

/** What a threshold colours: the background of a text, or a bar. */
const SHADES = {
  fill: { plain: PLAIN_COLORS.fill, warning: COLORS.warning.fill, critical: COLORS.critical.fill },
  bar: { plain: PLAIN_COLORS.bar, warning: COLORS.warning.line, critical: COLORS.critical.line },
} as const

/** Plain below `warning`, then yellow, then red from `critical`; reversed where `critical` is the lower one. */
const stepsOf =
  (shade: keyof typeof SHADES) =>
  (threshold: Threshold): Step[] => {
    const { plain, warning, critical } = SHADES[shade]
    return lowerIsWorse(threshold)
      ? [
          { value: null, color: critical },
          { value: threshold.critical, color: warning },
          { value: threshold.warning, color: plain },
        ]
      : [
          { value: null, color: plain },
          { value: threshold.warning, color: warning },
          { value: threshold.critical, color: critical },
        ]
  }

/** For the background of numbers. */
export const steps = stepsOf('fill')
export const barSteps = stepsOf('bar')

/** For dashed lines in graphs: each line has the colour of its level, also where lower is worse. */
export const lineSteps = (threshold: Threshold): Step[] => {
  const levels = [
    { value: threshold.warning, color: COLORS.warning.line },
    { value: threshold.critical, color: COLORS.critical.line },
  ]
  return [
    { value: null, color: PLAIN_COLORS.fill },
    ...(lowerIsWorse(threshold) ? levels.toReversed() : levels),
  ]
}

/** Steps of one series or column, where they differ from those of the panel. */
export const withSteps = (name: string, list: readonly Step[]): Override => ({
  name,
  properties: [{ id: 'thresholds', value: { mode: ThresholdsMode.Absolute, steps: list } }],
})

/** The colour of a state from a value upwards, no colour below it. */
export const from = (value: number, state: StateColor): readonly Step[] => [
  { value: null, color: PLAIN_COLORS.fill },
  { value, color: COLORS[state].fill },
]

/** For values without a threshold. */
export const PLAIN: readonly Step[] = [{ value: null, color: PLAIN_COLORS.fill }]

export const thresholds = (list: readonly Step[]): ThresholdsConfigBuilder =>
  new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(list.map(({ value, color }) => ({ value: value === null ? null : placed(value), color })))

const FORMATS = { table: PromQueryFormat.Table, heatmap: PromQueryFormat.Heatmap } as const

/** Queries A, B, …; the SDK sets neither the letters nor the data source. */
export const targets = (queries: readonly Query[]): DataqueryBuilder[] =>
  queries.map((query, index) => {
    const builder = new DataqueryBuilder()
      .refId(refId(index))
      .datasource(DATASOURCE)
      .expr(query.expr)
      .exemplar(false)
      .format(query.format === undefined ? PromQueryFormat.TimeSeries : FORMATS[query.format])
    if (query.legend !== undefined) builder.legendFormat(query.legend)
    return query.instant ? builder.instant() : builder.range()
  })

export const refId = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index)

/** The methods that all panel builders of the SDK have; the SDK has no type for them. */
interface AnyPanelBuilder {
  title(value: string): unknown
  description(value: string): unknown
  datasource(value: { type: string; uid: string }): unknown
  targets(value: cog.Builder<cog.Dataquery>[]): unknown
  unit(value: string): unknown
  min(value: number): unknown
  max(value: number): unknown
  decimals(value: number): unknown
  noValue(value: string): unknown
  interval(value: string): unknown
  mappings(value: ValueMapping[]): unknown
  thresholds(value: ThresholdsConfigBuilder): unknown
  overrideByName(name: string, properties: DynamicConfigValue[]): unknown
  overrideByRegexp(pattern: string, properties: DynamicConfigValue[]): unknown
  transformations(value: DataTransformerConfig[]): unknown
  build(): Panel
}

const describe = ({ shows, normal, otherwise }: About): string =>
  `${shows}\n\nNormal: ${normal}\n\nOtherwise: ${otherwise}`

const applyRange = (builder: AnyPanelBuilder, { min, max, decimals, noValue, interval }: PanelSpec): void => {
  if (min !== undefined) builder.min(min)
  if (max !== undefined) builder.max(max)
  if (decimals !== undefined) builder.decimals(decimals)
  if (noValue !== undefined) builder.noValue(noValue)
  if (interval !== undefined) builder.interval(interval)
}

const applyOverride = (builder: AnyPanelBuilder, { name, properties }: Override): void => {
  if (name.startsWith('/')) builder.overrideByRegexp(name, [...properties])
  else builder.overrideByName(name, [...properties])
}

/** Ratios have the axis 0 to 1 and one decimal of a percent, so that panels look alike. */
const withUnitDefaults = (spec: PanelSpec): PanelSpec => {
  if (spec.unit !== 'percentunit') return spec
  return { min: 0, decimals: 1, ...(spec.softMax === undefined && { max: 1 }), ...spec }
}

/**
 * Removes results without fields, as Prometheus has where there are no series. State timelines and heatmaps show them as
 * “Data does not have a time field”, and the text of an empty panel only without any result.
 */
export const WITHOUT_EMPTY: DataTransformerConfig = {
  id: 'filterFieldsByName',
  options: { include: { pattern: '/.*/' } },
}

export const finish = (
  builder: AnyPanelBuilder,
  given: PanelSpec,
  height: number,
  transformations: readonly DataTransformerConfig[] = [],
): SizedPanel => {
  const spec = withUnitDefaults(given)
  assertTitleFits(spec.title, spec.width)
  builder.title(spec.title)
  builder.description(describe(spec))
  builder.datasource(DATASOURCE)
  builder.targets(targets(spec.queries))
  builder.unit(spec.unit ?? PLAIN_NUMBER)
  builder.thresholds(thresholds(spec.steps ?? PLAIN))
  applyRange(builder, spec)
  if (spec.mappings) builder.mappings([...spec.mappings])
  for (const override of spec.overrides ?? []) applyOverride(builder, override)
  if (transformations.length > 0) builder.transformations([...transformations])
  return { width: spec.width, height: spec.height ?? height, panel: withLinks(builder.build(), spec.links) }
}

/** The SDK has no type for data links, only for dashboard links, which have more members. */
const withLinks = (panel: Panel, links: readonly Link[] = []): Panel => {
  if (links.length === 0 || !panel.fieldConfig) return panel
  const defaults = { ...panel.fieldConfig.defaults, links: links.map(dataLink) }
  return { ...panel, fieldConfig: { ...panel.fieldConfig, defaults } } as Panel
}

export const dataLink = ({ title, url }: Link) => ({ title, url, targetBlank: false })
