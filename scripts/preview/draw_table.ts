import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { fieldOf, show } from './field.ts'
import { type Box, escapeHtml, round, textColorOn } from './html.ts'
import type { NamedSeries } from './panel_results.ts'

type Cell = string | number | undefined
interface Sheet {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, Cell>>[]
}

interface Organize {
  readonly indexByName: Readonly<Record<string, number>>
  readonly renameByName: Readonly<Record<string, string>>
}

const last = ({ points }: NamedSeries): number => points.at(-1)?.[1] ?? Number.NaN

/** The result of Grafana's transformations "merge" and "organize". */
function merged(
  panel: Panel,
  series: readonly NamedSeries[],
  { indexByName, renameByName }: Organize,
): Sheet {
  const single = (panel.targets ?? []).length === 1
  const rows = new Map<string, Record<string, Cell>>()
  for (const one of series) {
    const key = JSON.stringify(Object.entries(one.labels).sort())
    const row = rows.get(key) ?? { ...one.labels }
    const name = single ? 'Value' : `Value #${one.refId}`
    row[renameByName[name] ?? name] = last(one)
    rows.set(key, row)
  }
  const order = Object.entries(indexByName).sort(([, a], [, b]) => a - b)
  const columns = order.map(([name]) => renameByName[name] ?? name)
  const used = columns.filter((name) => [...rows.values()].some((row) => row[name] !== undefined))
  return { columns: used, rows: [...rows.values()] }
}

interface Grouping {
  readonly rowField: string
  readonly columnField: string
}

/** The result of Grafana's transformation "Grouping to matrix". */
function grouped(series: readonly NamedSeries[], { rowField, columnField }: Grouping): Sheet {
  const corner = `${rowField}\\${columnField}`
  const rows = new Map<string, Record<string, Cell>>()
  for (const one of series) {
    const name = one.labels[rowField] ?? ''
    const row = rows.get(name) ?? { [corner]: name }
    row[one.labels[columnField] ?? ''] = last(one)
    rows.set(name, row)
  }
  const columns = [...new Set(series.map(({ labels }) => labels[columnField] ?? ''))].sort()
  return { columns: [corner, ...columns], rows: [...rows.values()] }
}

function sorted(panel: Panel, { columns, rows }: Sheet): Sheet {
  const [by] = (panel.options.sortBy ?? []) as { displayName: string; desc: boolean }[]
  if (!by) return { columns, rows }
  const sign = by.desc ? -1 : 1
  return { columns, rows: rows.toSorted((a, b) => sign * compare(a[by.displayName], b[by.displayName])) }
}

/** Sorts texts alphabetically and numbers by value; missing values first. */
function compare(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b)
  return Number(a ?? Number.NEGATIVE_INFINITY) - Number(b ?? Number.NEGATIVE_INFINITY)
}

function cell(panel: Panel, column: string, value: Cell): string {
  const field = fieldOf(panel, column)
  if (value === undefined) return '<td></td>'
  if (typeof value === 'string')
    return `<td class="${field.config.links ? 'link' : ''}">${escapeHtml(value)}</td>`
  const { text, color } = show(field, value)
  const mode = field.custom['displayMode']
  if (mode === 'color-background-solid') {
    return `<td style="background:${color};color:${textColorOn(color)}">${escapeHtml(text)}</td>`
  }
  if (mode === 'lcd-gauge') {
    const part = Math.min(100, (value / (field.config.max ?? 1)) * 100)
    return `<td><div class="lcd"><em><u style="width:${round(part)}%;background:${color}"></u></em><b style="color:${color}">${escapeHtml(text)}</b></div></td>`
  }
  return `<td${mode === 'color-text' ? ` style="color:${color}"` : ''}>${escapeHtml(text)}</td>`
}

const ROW_HEIGHT = 27

/** One row per label set, limited by the height of the panel. */
export function drawTable(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const transformation = panel.transformations?.at(-1)
  const sheet =
    transformation?.id === 'groupingToMatrix'
      ? grouped(series, transformation.options)
      : merged(panel, series, transformation?.options)
  const { columns, rows } = sorted(panel, sheet)
  const maxRows = Math.max(1, Math.floor(box.height / ROW_HEIGHT) - 1)
  const head = columns.map((name) => `<th>${escapeHtml(name)}</th>`).join('')
  const body = rows
    .slice(0, maxRows)
    .map((row) => `<tr>${columns.map((name) => cell(panel, name, row[name])).join('')}</tr>`)
  return `<table class="data"><tr>${head}</tr>${body.join('')}</table>`
}
