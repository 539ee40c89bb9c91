import { TableCellDisplayMode, TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common'
import type {
  DataTransformerConfig,
  DynamicConfigValue,
  ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { ThresholdsMode } from '@grafana/grafana-foundation-sdk/dashboard'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table'
import type { Expression } from '../promql/expression.ts'
import {
  dataLink,
  finish,
  type Link,
  type Override,
  type PanelSpec,
  refId,
  type SizedPanel,
  type Step,
} from './spec.ts'

/** A column of values; one query. */
interface Column {
  readonly title: string
  readonly expr: Expression
  readonly unit: string
  readonly decimals?: number
  readonly steps?: readonly Step[]
  readonly mappings?: readonly ValueMapping[]
  /** How a cell shows its value. Default: text without colour. */
  readonly cell?: 'background' | 'text' | 'gauge'
  readonly width?: number
}

interface TableSpec extends Omit<PanelSpec, 'queries' | 'unit' | 'steps' | 'overrides' | 'links'> {
  /** Labels that identify a row, in the order of their columns. */
  readonly rows: readonly string[]
  readonly columns: readonly Column[]
  /** Links on the cells of a label. */
  readonly cellLinks?: Readonly<Record<string, Link>>
  /** Title of the column by which the table is sorted, largest first. */
  readonly sortBy?: string
  readonly ascending?: boolean
  readonly overrides?: readonly Override[]
}

/**
 * The table cells of Grafana before 9.5. Later versions migrate them when the schema version of the dashboard
 * (dashboard.ts) is older, so do not combine them with `cellOptions`.
 */
const CELLS = {
  background: TableCellDisplayMode.ColorBackgroundSolid,
  text: TableCellDisplayMode.ColorText,
  gauge: TableCellDisplayMode.LcdGauge,
} as const

const property = (id: string, value: unknown): DynamicConfigValue[] =>
  value === undefined ? [] : [{ id, value }]

const columnOverride = (column: Column): Override => ({
  name: column.title,
  properties: [
    { id: 'unit', value: column.unit },
    ...property('decimals', column.decimals ?? (column.unit === 'percentunit' ? 1 : undefined)),
    ...(column.unit === 'percentunit' ? [...property('min', 0), ...property('max', 1)] : []),
    ...property('mappings', column.mappings),
    ...property('thresholds', column.steps && { mode: ThresholdsMode.Absolute, steps: column.steps }),
    ...property('custom.displayMode', column.cell && CELLS[column.cell]),
    ...property('custom.width', column.width),
  ],
})

const linkOverride = ([name, link]: [string, Link]): Override => ({
  name,
  properties: [{ id: 'links', value: [dataLink(link)] }],
})

/** Grafana names the column "Value" when there is one query, else "Value #A", "Value #B" and so on. */
const valueName = (index: number, count: number): string => (count === 1 ? 'Value' : `Value #${refId(index)}`)

/** Joins the results by their labels, removes the time and sets the titles of the columns. */
const transformations = ({ rows, columns }: TableSpec): DataTransformerConfig[] => {
  const names = columns.map((_, index) => valueName(index, columns.length))
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries([...rows, ...names].map((name, index) => [name, index])),
        renameByName: Object.fromEntries(columns.map(({ title }, index) => [names[index], title])),
      },
    },
  ]
}

/** One row per set of labels, one column per query, with current values. */
export const table = (spec: TableSpec): SizedPanel => {
  const builder = new PanelBuilder().filterable(true)
  if (spec.sortBy !== undefined) {
    builder.sortBy([new TableSortByFieldStateBuilder().displayName(spec.sortBy).desc(!spec.ascending)])
  }
  const links = Object.entries(spec.cellLinks ?? {}).map(linkOverride)
  const panel: PanelSpec = {
    ...spec,
    unit: 'none',
    queries: spec.columns.map(({ expr }) => ({ expr, instant: true, format: 'table' })),
    overrides: [...spec.columns.map(columnOverride), ...links, ...(spec.overrides ?? [])],
  }
  return finish(builder, panel, 9, transformations(spec))
}

interface MatrixSpec extends Omit<PanelSpec, 'queries' | 'overrides' | 'links'> {
  readonly expr: Expression
  /** Labels that identify the row and the column. */
  readonly row: string
  readonly column: string
  readonly cell?: keyof typeof CELLS
}

/** One row per value of one label, one column per value of another. */
export const matrix = (spec: MatrixSpec): SizedPanel => {
  const builder = new PanelBuilder().filterable(true)
  if (spec.cell) builder.displayMode(CELLS[spec.cell])
  const panel: PanelSpec = { ...spec, queries: [{ expr: spec.expr, instant: true, format: 'table' }] }
  const options = { rowField: spec.row, columnField: spec.column, valueField: 'Value' }
  return finish(builder, panel, 9, [{ id: 'groupingToMatrix', options }])
}
