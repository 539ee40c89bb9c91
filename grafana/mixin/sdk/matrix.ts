import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/table'
import type { Expression } from '../promql/expression.ts'
import { EMPTY_TEXT, finish, type PanelSpec, type SizedPanel } from './spec.ts'

interface MatrixSpec extends Omit<PanelSpec, 'queries' | 'overrides' | 'links'> {
  readonly expr: Expression
  /** Labels that identify the row and the column. */
  readonly row: string
  readonly column: string
  readonly noValue: string
}

/** Widths in a matrix, whose number of columns is not known. */
const MATRIX_COLUMN_PIXELS = 90
const MATRIX_ROW_PIXELS = 280

/** One row per value of one label, one column per value of another. */
export const matrix = (spec: MatrixSpec): SizedPanel => {
  const builder = new PanelBuilder()
    .minWidth(MATRIX_COLUMN_PIXELS)
    .sortBy([new TableSortByFieldStateBuilder().displayName(spec.row).desc(false)])
  // Fixed: a smallest width above an equal share would make the table wider than its panel.
  const corner = { id: 'custom.width', value: MATRIX_ROW_PIXELS }
  const panel: PanelSpec = {
    ...spec,
    queries: [{ expr: spec.expr, instant: true, format: 'table' }],
    overrides: [
      // Grafana's name is that of both labels.
      {
        name: `${spec.row}\\${spec.column}`,
        properties: [
          { id: 'displayName', value: spec.row },
          { id: 'custom.filterable', value: true },
          corner,
        ],
      },
      EMPTY_TEXT,
    ],
  }
  const options = { rowField: spec.row, columnField: spec.column, valueField: 'Value' }
  return finish(builder, panel, 9, [{ id: 'groupingToMatrix', options }])
}
