import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Field, fieldOf, show } from './field.ts'
import { type Box, cellTextColor, escapeHtml, round } from './html.ts'
import type { NamedSeries } from './panel_results.ts'

type Cell = string | number | undefined
interface Sheet {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, Cell>>[]
}

interface Organize {
  readonly excludeByName: Readonly<Record<string, boolean>>
  readonly indexByName: Readonly<Record<string, number>>
  readonly renameByName: Readonly<Record<string, string>>
}

const last = ({ points }: NamedSeries): number => points.at(-1)?.[1] ?? Number.NaN

/** Labels that all series have: they identify a row. A further label is a column of text. */
const commonLabels = (series: readonly NamedSeries[]): string[] =>
  Object.keys(series[0]?.labels ?? {}).filter((label) => series.every(({ labels }) => label in labels))

/** The result of Grafana's transformations "merge" and "organize". */
function merged(panel: Panel, series: readonly NamedSeries[], organize: Organize): Sheet {
  const { excludeByName, indexByName, renameByName } = organize
  const single = (panel.targets ?? []).length === 1
  const key = commonLabels(series)
  const rows = new Map<string, Record<string, Cell>>()
  for (const one of series) {
    const id = JSON.stringify(key.map((label) => one.labels[label]))
    const row = rows.get(id) ?? {}
    for (const [label, text] of Object.entries(one.labels)) row[renameByName[label] ?? label] = text
    const name = single ? 'Value' : `Value #${one.refId}`
    if (!excludeByName[name]) row[renameByName[name] ?? name] = last(one)
    rows.set(id, row)
  }
  const order = Object.entries(indexByName).sort(([, a], [, b]) => a - b)
  const values = new Set((panel.targets ?? []).map((_, index) => `Value #${String.fromCharCode(65 + index)}`))
  const labels = new Set(series.flatMap((one) => Object.keys(one.labels)))
  const drawn = order.filter(([name]) => values.has(name) || name === 'Value' || labels.has(name))
  return { columns: drawn.map(([name]) => renameByName[name] ?? name), rows: [...rows.values()] }
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
  const column = columns.find((name) => fieldOf(panel, name).name === by.displayName) ?? by.displayName
  return { columns, rows: rows.toSorted((a, b) => sign * compare(a[column], b[column])) }
}

/** Sorts texts alphabetically and numbers by value; missing values first. */
function compare(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b)
  return Number(a ?? Number.NEGATIVE_INFINITY) - Number(b ?? Number.NEGATIVE_INFINITY)
}

/** Grafana's default minimum width of a column without a width of its own. */
const MIN_WIDTH = 150

/** As Grafana: fixed widths, and equal shares of the rest that are not below the minimum. */
function widths(fields: readonly Field[], available: number): number[] {
  const fixed = fields.map(({ custom }) => Number(custom['width'] ?? 0))
  const share =
    (available - fixed.reduce((sum, width) => sum + width, 0)) / fixed.filter((width) => width === 0).length
  return fixed.map(
    (width, index) => width || Math.max(Number(fields[index]?.custom['minWidth'] ?? MIN_WIDTH), share),
  )
}

function cell(field: Field, value: Cell, width: number): string {
  const box = (style: string, text: string, name = '') =>
    `<td class="${name}" style="width:${round(width)}px;${style}">${text}</td>`
  if (value === undefined || value === '') return box('', escapeHtml(field.config.noValue ?? ''), 'number')
  const { text, color } = show(field, value)
  const mode = field.custom['displayMode']
  const name = typeof value === 'number' ? 'number' : field.config.links ? 'link' : ''
  if (mode === 'color-background-solid' && color !== 'transparent') {
    return box(`background:${color};color:${cellTextColor(color)}`, escapeHtml(text), name)
  }
  if (mode === 'basic' && typeof value === 'number') {
    const part = Math.min(100, (value / (field.config.max ?? 1)) * 100)
    return box(
      '',
      `<div class="gauge"><em><u style="width:${round(part)}%;background:${color}"></u></em><b>${escapeHtml(text)}</b></div>`,
    )
  }
  return box('', escapeHtml(text), name)
}

const HEADER_HEIGHT = 36
const ROW_HEIGHT = 36

/** One row per label set, limited by the height of the panel. */
export function drawTable(panel: Panel, series: readonly NamedSeries[], box: Box): string {
  const transformation = panel.transformations?.at(-1)
  const sheet =
    transformation?.id === 'groupingToMatrix'
      ? grouped(series, transformation.options)
      : merged(panel, series, transformation?.options)
  const { columns, rows } = sorted(panel, sheet)
  const fields = columns.map((name) => fieldOf(panel, name))
  const sizes = widths(fields, box.width)
  const maxRows = Math.max(1, Math.ceil((box.height - HEADER_HEIGHT) / ROW_HEIGHT))
  const head = columns.map((name, index) => {
    const filter = fields[index]?.custom['filterable'] ? ' <small>▽</small>' : ''
    return `<th style="width:${round(sizes[index] ?? 0)}px">${escapeHtml(fields[index]?.name ?? name)}${filter}</th>`
  })
  const body = rows
    .slice(0, maxRows)
    .map(
      (row) =>
        `<tr>${columns.map((name, index) => cell(fields[index] ?? fieldOf(panel, name), row[name], sizes[index] ?? 0)).join('')}</tr>`,
    )
  const width = round(sizes.reduce((sum, size) => sum + size, 0))
  return `<table class="data" style="width:${width}px"><tr>${head.join('')}</tr>${body.join('')}</table>`
}
