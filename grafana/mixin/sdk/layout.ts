import type { Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import { COLUMNS } from './fit.ts'
import { DATASOURCE, type SizedPanel } from './spec.ts'

/** A row of a dashboard. Panels of a collapsed row send no queries until the row is opened. */
export interface LayoutRow {
  readonly title: string
  readonly collapsed?: boolean
  readonly panels: readonly SizedPanel[]
}

interface Cursor {
  readonly x: number
  readonly y: number
  /** Height of the current line of panels. */
  readonly line: number
}

/**
 * The id of a panel, derived from its title, so that links to a single panel stay valid when panels are moved or
 * added. FNV-1a, reduced to five digits.
 */
const panelId = (title: string): number => {
  const hash = [...title].reduce(
    (value, char) => Math.imul(value ^ char.charCodeAt(0), 16_777_619),
    2_166_136_261,
  )
  return ((hash >>> 0) % 99_999) + 1
}

const place = (cursor: Cursor, { width, height }: SizedPanel): { x: number; y: number; next: Cursor } => {
  const wraps = cursor.x + width > COLUMNS
  const x = wraps ? 0 : cursor.x
  const y = wraps ? cursor.y + cursor.line : cursor.y
  const line = wraps ? height : Math.max(cursor.line, height)
  return { x, y, next: { x: x + width, y, line } }
}

/** Places panels line by line from left to right. `bottom` is the first free line below them. */
const fill = (sized: readonly SizedPanel[], top: number): { panels: Panel[]; bottom: number } => {
  let cursor: Cursor = { x: 0, y: top, line: 0 }
  const panels = sized.map((item) => {
    const { x, y, next } = place(cursor, item)
    cursor = next
    const gridPos = { h: item.height, w: item.width, x, y }
    return { ...item.panel, id: panelId(item.panel.title ?? ''), gridPos }
  })
  return { panels, bottom: cursor.y + cursor.line }
}

const header = ({ title, collapsed = false }: LayoutRow, y: number, panels: Panel[]): RowPanel => ({
  type: 'row',
  id: panelId(`row ${title}`),
  title,
  collapsed,
  datasource: DATASOURCE,
  gridPos: { h: 1, w: COLUMNS, x: 0, y },
  panels,
})

/**
 * Gives every panel its id and position. Panels of a collapsed row are members of the row and take no space below
 * it. The layout of the SDK places the next panel beside them, so it is not used.
 */
export const arrange = (rows: readonly LayoutRow[]): (Panel | RowPanel)[] => {
  let y = 0
  return rows.flatMap((row) => {
    const { panels, bottom } = fill(row.panels, y + 1)
    const inside = row.collapsed ? panels : []
    const below = row.collapsed ? [] : panels
    const placed = [header(row, y, inside), ...below]
    y = row.collapsed ? y + 1 : bottom
    return placed
  })
}
