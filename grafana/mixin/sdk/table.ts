import { TableCellDisplayMode, TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common'
import {
  type DataTransformerConfig,
  type DynamicConfigValue,
  MappingType,
  SpecialValueMatch,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table'
import { PLAIN_COLORS } from '../colors.ts'
import type { Expression } from '../promql/expression.ts'
import { type ColumnWidth, columnPixels, columnWidths } from './fit.ts'
import {
  DASH,
  dataLink,
  EMPTY_TEXT,
  finish,
  type Link,
  type Override,
  type PanelSpec,
  PLAIN_NUMBER,
  refId,
  type SizedPanel,
  type Step,
} from './spec.ts'

/** A column of values; one query. Cells have the colours of thresholds and mappings as background. */
export interface Column {
  readonly title: string
  readonly expr: Expression
  /** Default: a plain number. */
  readonly unit?: string
  readonly decimals?: number
  readonly steps?: readonly Step[]
  readonly mappings?: readonly ValueMapping[]
  /** Draw a bar from 0 to 1; only in a table with one column of values, where no cell is empty. */
  readonly bar?: boolean
  /** End of the bar, where it is not 1. */
  readonly max?: number
  /** A long value, where the usual one of the unit is too long. */
  readonly sample?: string
}

/** A column with a label that only the result of this query has, at most one series for each row. */
export interface TextColumn {
  readonly title: string
  readonly label: string
  readonly expr: Expression
}

interface TableSpec extends Omit<PanelSpec, 'queries' | 'unit' | 'steps' | 'overrides' | 'links' | 'width'> {
  /** Default: a whole row. */
  readonly width?: number
  /** Labels that identify a row, in the order of their columns. */
  readonly rows: readonly string[]
  /** Titles of label columns that are not called as the label. */
  readonly labelTitles?: Readonly<Record<string, string>>
  readonly columns: readonly Column[]
  readonly texts?: readonly TextColumn[]
  /** Texts and colours of the values of labels. */
  readonly labelMappings?: Readonly<Record<string, readonly ValueMapping[]>>
  /** Links on the cells of a label. */
  readonly cellLinks?: Readonly<Record<string, Link>>
  /** Title of the column by which the table is sorted, largest first. */
  readonly sortBy?: string
  readonly ascending?: boolean
  /** Columns of values before those of the labels. */
  readonly valuesFirst?: boolean
  /** The text of the panel when it has no row. Cells without a value have a dash. */
  readonly noValue: string
}

/**
 * The table cells of Grafana before 9.5. Later versions migrate them when the schema version of the dashboard
 * (dashboard.ts) is older, so do not combine them with `cellOptions`.
 */
const CELLS = {
  background: TableCellDisplayMode.ColorBackgroundSolid,
  bar: TableCellDisplayMode.BasicGauge,
} as const

/** Long values of labels and units, from which the widths of columns are calculated. */
const LABEL_SAMPLES: Readonly<Record<string, string>> = {
  system: 'frankfurt-1',
  pool: 'archive-01',
  node: 'archive-node-01',
  alertname: 'SdsAuthnProviderRemoved',
  error_type: '404 (ATMOS)',
  provider: 'corporate directory',
  provider_id: 'urn:storageos:authn:provider:1',
  instance: 'exporter-0.example:9438',
  attribute: 'diskWriteBandwidthRecovery',
  target_percent: '90',
  history_days: '28',
  resource: 'replication',
  namespace: 'finance-archive',
  bucket: 'invoices-2026',
  replication_group: 'rg-oslo-dublin',
  local_vdc: 'vdc-frankfurt',
  remote_vdc: 'vdc-frankfurt',
  version: '3.8.1.4-1',
}
const UNIT_SAMPLES: Readonly<Record<string, string>> = {
  none: '99999',
  short: '999.9 Mil',
  percentunit: '100.0%',
  bytes: '1023 TiB',
  s: '23.9 hours',
  dtdurations: '11 months',
}
/** Width of a bar and its number. Without it, Grafana takes 150 pixels. */
const BAR_PIXELS = 100

/** Width of a dashboard, in grid columns. */
const ROW_COLUMNS = 24

const DEFAULT_SAMPLE = 'Maintenance'

/** Without it, an empty cell has the colour of the smallest value, which is red where lower is worse. */
const EMPTY_MAPPING: ValueMapping = {
  type: MappingType.SpecialValue,
  options: {
    match: SpecialValueMatch.NullAndNan,
    result: { text: DASH, color: PLAIN_COLORS.fill, index: 99 },
  },
}

const property = (id: string, value: unknown): DynamicConfigValue[] =>
  value === undefined ? [] : [{ id, value }]

const textsOf = (mappings: readonly ValueMapping[] = []): string[] =>
  mappings.flatMap(({ options }) =>
    'result' in options
      ? [(options.result as { text?: string }).text ?? '']
      : Object.values(options as Record<string, { text?: string }>).map(({ text = '' }) => text),
  )

const longest = (texts: readonly string[]): string =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), '')

/** A size with decimals has them also where its number is large. */
const sampleOf = (unit: string, decimals?: number): string | undefined =>
  unit === 'bytes' && decimals ? `${(999).toFixed(decimals)} TiB` : UNIT_SAMPLES[unit]

/** The values of a column are as wide as their longest text; the names of rows share the remaining space. */
const valueWidth = (
  { title, unit = PLAIN_NUMBER, decimals, mappings, sample }: Column,
  sorted: boolean,
): number => {
  const value = sample ?? sampleOf(unit, decimals) ?? DEFAULT_SAMPLE
  return columnPixels(title, longest([value, ...textsOf(mappings)]), sorted ? 1 : 0)
}

const labelWidth = (label: string, { labelTitles = {}, labelMappings = {} }: TableSpec): number => {
  const value = LABEL_SAMPLES[label] ?? DEFAULT_SAMPLE
  return columnPixels(labelTitles[label] ?? label, longest([value, ...textsOf(labelMappings[label])]), 1)
}

const cellOf = ({ bar, steps, mappings }: Pick<Column, 'bar' | 'steps' | 'mappings'>) => {
  if (bar) return CELLS.bar
  return steps || mappings ? CELLS.background : undefined
}

const rangeOf = ({ unit, max = 1, bar }: Column): DynamicConfigValue[] =>
  bar || unit === 'percentunit'
    ? [
        { id: 'min', value: 0 },
        { id: 'max', value: max },
      ]
    : []

const widthOf = (width: ColumnWidth | undefined): DynamicConfigValue[] =>
  property(width?.fixed ? 'custom.width' : 'custom.minWidth', width?.pixels)

const columnOverride = (column: Column, width: ColumnWidth | undefined): Override => ({
  name: column.title,
  properties: [
    { id: 'unit', value: column.unit ?? PLAIN_NUMBER },
    ...property('decimals', column.decimals ?? (column.unit === 'percentunit' ? 1 : undefined)),
    ...rangeOf(column),
    ...property('mappings', [...(column.mappings ?? []), EMPTY_MAPPING]),
    ...property('thresholds', column.steps && { mode: ThresholdsMode.Absolute, steps: column.steps }),
    ...property('custom.displayMode', cellOf(column)),
    ...widthOf(width),
  ],
})

const labelOverride = (label: string, width: ColumnWidth | undefined, spec: TableSpec): Override => {
  const link = spec.cellLinks?.[label]
  const mappings = spec.labelMappings?.[label]
  return {
    name: spec.labelTitles?.[label] ?? label,
    properties: [
      { id: 'custom.filterable', value: true },
      ...widthOf(width),
      ...property('links', link && [dataLink(link)]),
      ...property('mappings', mappings),
      ...property('custom.displayMode', cellOf({ ...(mappings && { mappings }) })),
    ],
  }
}

/** An empty cell of a column with links would be a link to a pool or node called “–”; without text it is none. */
const withoutText = (name: string): Override => ({ name, properties: [{ id: 'noValue', value: '' }] })

const textWidth = ({ title }: TextColumn): number => columnPixels(title, DEFAULT_SAMPLE)

const textOverride = ({ title }: TextColumn, width: ColumnWidth | undefined): Override => ({
  name: title,
  properties: widthOf(width),
})

/** Grafana names the column "Value" when there is one query, else "Value #A", "Value #B" and so on. */
const valueName = (index: number, count: number): string => (count === 1 ? 'Value' : `Value #${refId(index)}`)

/** Joins the results by their labels, removes what is not shown, and sets the titles of the columns. */
const transformations = (spec: TableSpec): DataTransformerConfig[] => {
  const { rows, columns, texts = [], labelTitles = {}, valuesFirst } = spec
  const count = columns.length + texts.length
  const values = columns.map(({ title }, index) => [valueName(index, count), title] as const)
  const hidden = texts.map((_, index) => valueName(columns.length + index, count))
  const titled = [...texts.map(({ label, title }) => [label, title] as const), ...values]
  const names = titled.map(([name]) => name)
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(['Time', ...hidden].map((name) => [name, true])),
        indexByName: Object.fromEntries(
          (valuesFirst ? [...names, ...rows] : [...rows, ...names]).map((name, index) => [name, index]),
        ),
        renameByName: { ...labelTitles, ...Object.fromEntries(titled) },
      },
    },
  ]
}

/** The widths of the columns of labels, of texts, and of values. */
const widthsOf = (spec: TableSpec): ColumnWidth[] => {
  const { title, width = ROW_COLUMNS, rows, columns, texts = [], sortBy } = spec
  const names = [...rows.map((label) => labelWidth(label, spec)), ...texts.map(textWidth)]
  const [only, ...more] = columns
  if (columns.some(({ bar }) => bar) && more.length > 0) {
    throw new Error(
      `table “${title}”: a bar needs a table with one column, because an empty cell would show 0`,
    )
  }
  if (only?.bar) return columnWidths(title, width, [...names, BAR_PIXELS], [])
  return columnWidths(
    title,
    width,
    names,
    columns.map((column) => valueWidth(column, column.title === sortBy)),
  )
}

/** One row per set of labels, one column per query, with current values. */
export const table = (spec: TableSpec): SizedPanel => {
  const { rows, texts = [], columns } = spec
  const widths = widthsOf(spec)
  const builder = new PanelBuilder()
  if (spec.sortBy !== undefined) {
    builder.sortBy([new TableSortByFieldStateBuilder().displayName(spec.sortBy).desc(!spec.ascending)])
  }
  const panel: PanelSpec = {
    width: ROW_COLUMNS,
    ...spec,
    queries: [...columns, ...texts].map(({ expr }) => ({ expr, instant: true, format: 'table' })),
    overrides: [
      ...rows.map((label, index) => labelOverride(label, widths[index], spec)),
      ...texts.map((text, index) => textOverride(text, widths[rows.length + index])),
      ...columns.map((column, index) => columnOverride(column, widths[rows.length + texts.length + index])),
      EMPTY_TEXT,
      ...Object.keys(spec.cellLinks ?? {}).map((label) => withoutText(spec.labelTitles?.[label] ?? label)),
    ],
  }
  return finish(builder, panel, 9, transformations(spec))
}
