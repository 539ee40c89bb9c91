import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { KNOWN_NAMES } from '../promql/known_metrics.ts'
import { metricsOf, parse, selectorsOf } from '../promql/parse.ts'
import { panelsOf, queriesOf } from './queries.ts'

export const PANELS = buildDashboards().flatMap((page) =>
  panelsOf(page).map((panel) => ({ where: `${page.uid} / ${panel.title}`, panel })),
)
export const ofType = (...types: readonly string[]) =>
  PANELS.filter(({ panel }) => types.includes(panel.type))

export interface Options {
  readonly legend?: {
    readonly showLegend?: boolean
    readonly calcs?: readonly string[]
    readonly placement?: string
    readonly displayMode?: string
  }
  readonly reduceOptions?: { readonly calcs: readonly string[] }
}
export const optionsOf = (panel: Panel): Options => panel.options as Options

export interface Step {
  readonly value: number | null
  readonly color: string
}

export const metricsIn = (expr: string): string[] =>
  selectorsOf(parse(expr)).flatMap((selector) => metricsOf(selector, KNOWN_NAMES))

/** A query with the unit of its values on the panel. */
export interface Shown {
  readonly where: string
  readonly expr: string
  readonly unit: string
  readonly min: number | undefined
  readonly max: number | undefined
  readonly soft: number | undefined
}

export const property = (panel: Panel, column: string, id: string): unknown =>
  panel.fieldConfig?.overrides
    .find(({ matcher }) => matcher.options === column)
    ?.properties.find((candidate) => candidate.id === id)?.value

/** The title of the column of a query in a table. */
export const heading = (panel: Panel, refId: string): string => {
  const names = panel.transformations?.find(({ id }) => id === 'organize')?.options.renameByName ?? {}
  return names[`Value #${refId}`] ?? names['Value'] ?? ''
}

export const shown = ({ where, panel }: { where: string; panel: Panel }): Shown[] =>
  queriesOf(panel).map(({ expr = '', refId = '' }) => {
    const defaults = panel.fieldConfig?.defaults
    const column = panel.type === 'table' ? heading(panel, refId) : ''
    const own = (id: string) => property(panel, column, id)
    return {
      where: `${where} / ${column || refId}`,
      expr,
      unit: String(own('unit') ?? defaults?.unit ?? ''),
      min: (own('min') ?? defaults?.min) as number | undefined,
      max: (own('max') ?? defaults?.max) as number | undefined,
      soft: defaults?.custom?.axisSoftMax as number | undefined,
    }
  })
export const SHOWN = PANELS.flatMap(shown)
