import type { Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import { DATASOURCE, type Tile } from './spec.ts'

/** A titled band of tiles; a collapsed one asks the data source nothing until it is opened. */
export interface Row {
  readonly title: string
  readonly collapsed?: boolean
  readonly tiles: readonly Tile[]
}

const COLUMNS = 24

interface Cursor {
  readonly x: number
  readonly y: number
  /** Height of the line of tiles that is being filled. */
  readonly line: number
}

/**
 * The id of a panel, out of its title: it stays when panels are moved or added, so a link to a single panel
 * stays valid. FNV-1a, kept small enough to be typed.
 */
const panelId = (title: string): number => {
  const hash = [...title].reduce(
    (value, char) => Math.imul(value ^ char.charCodeAt(0), 16_777_619),
    2_166_136_261,
  )
  return ((hash >>> 0) % 99_999) + 1
}

const place = (cursor: Cursor, { width, height }: Tile): { x: number; y: number; next: Cursor } => {
  const wraps = cursor.x + width > COLUMNS
  const x = wraps ? 0 : cursor.x
  const y = wraps ? cursor.y + cursor.line : cursor.y
  const line = wraps ? height : Math.max(cursor.line, height)
  return { x, y, next: { x: x + width, y, line } }
}

/** Fills lines from left to right; answers the panels and the first free line below them. */
const fill = (tiles: readonly Tile[], top: number): { panels: Panel[]; bottom: number } => {
  let cursor: Cursor = { x: 0, y: top, line: 0 }
  const panels = tiles.map((tile) => {
    const { x, y, next } = place(cursor, tile)
    cursor = next
    const gridPos = { h: tile.height, w: tile.width, x, y }
    return { ...tile.panel, id: panelId(tile.panel.title ?? ''), gridPos }
  })
  return { panels, bottom: cursor.y + cursor.line }
}

const header = ({ title, collapsed = false }: Row, y: number, panels: Panel[]): RowPanel => ({
  type: 'row',
  id: panelId(`row ${title}`),
  title,
  collapsed,
  datasource: DATASOURCE,
  gridPos: { h: 1, w: COLUMNS, x: 0, y },
  panels,
})

/**
 * Gives every panel its id and place. The panels of a collapsed row live inside it and take no room below;
 * the SDK's own placing puts the next panel beside them, which is why it is not used.
 */
export const arrange = (rows: readonly Row[]): (Panel | RowPanel)[] => {
  let y = 0
  return rows.flatMap((row) => {
    const { panels, bottom } = fill(row.tiles, y + 1)
    const inside = row.collapsed ? panels : []
    const below = row.collapsed ? [] : panels
    const placed = [header(row, y, inside), ...below]
    y = row.collapsed ? y + 1 : bottom
    return placed
  })
}
