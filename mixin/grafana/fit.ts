/**
 * Whether texts fit into panels in the narrowest window that is supported: 1366 pixels wide, with Grafana's menu open.
 * A dashboard in which a text would be cut is not built.
 */

import { resolve } from '../../src/alerting/references.ts'
import { DEFAULT_VALUES } from '../settings.ts'

/** Width of the content of a dashboard in that window. */
const DASHBOARD_PIXELS = 1034
/** Columns of the grid of a dashboard. */
export const COLUMNS = 24
/** Between two panels. */
const GAP_PIXELS = 8
/** Height of a grid row without the gap. */
export const ROW_PIXELS = 30

/** A tile that is narrower cannot show a title. */
const MIN_COLUMNS = 4
/** Padding, and the icon of the description. */
const TITLE_MARGIN_PIXELS = 56
/** Of Grafana's font, for text that is mostly lower case. */
const CHARACTER_PIXELS = 8.6
const CELL_CHARACTER_PIXELS = 7.6
/** Headers are bolder. */
const HEADER_CHARACTER_PIXELS = 8.6
const CELL_PADDING_PIXELS = 14
const ICON_PIXELS = 26
/** Padding and border of a panel, and the scroll bar of a table. */
const TABLE_MARGIN_PIXELS = 28

/** The largest number that a panel title may contain instead of `$topn`. */
const LONGEST_TOP = '20'

/** A text as it is shown with the default settings. */
const shown = (text: string): string => String(resolve(text.replace('$topn', LONGEST_TOP), DEFAULT_VALUES))

/** Width in pixels of a panel of `columns` grid columns, on a dashboard of `dashboard` pixels. */
export const panelPixels = (columns: number, dashboard = DASHBOARD_PIXELS): number =>
  ((dashboard + GAP_PIXELS) / COLUMNS) * columns - GAP_PIXELS

/** Number of characters of a title that fit into a panel of `columns` grid columns. */
export const titleRoom = (columns: number): number =>
  Math.floor((panelPixels(columns) - TITLE_MARGIN_PIXELS) / CHARACTER_PIXELS)

/** @throws for a panel whose title would be cut */
export const assertTitleFits = (title: string, columns: number): void => {
  if (columns < MIN_COLUMNS) throw new Error(`panel “${title}”: at least ${MIN_COLUMNS} columns are needed`)
  const { length } = shown(title)
  if (length > titleRoom(columns)) {
    throw new Error(
      `panel “${title}”: ${length} characters, ${titleRoom(columns)} fit into ${columns} columns`,
    )
  }
}

/** Width in pixels of a table column for the header `title` with icons, and a longest text. */
export const columnPixels = (title: string, text: string, icons = 0): number =>
  Math.ceil(
    CELL_PADDING_PIXELS +
      Math.max(
        shown(title).length * HEADER_CHARACTER_PIXELS + icons * ICON_PIXELS,
        shown(text).length * CELL_CHARACTER_PIXELS,
      ),
  )

/** @throws for a table whose columns do not fit into it */
export const assertColumnsFit = (title: string, columns: number, widths: readonly number[]): void => {
  const needed = widths.reduce((sum, width) => sum + width, 0)
  const room = Math.floor(panelPixels(columns) - TABLE_MARGIN_PIXELS)
  if (needed > room) {
    throw new Error(
      `table “${title}”: its columns need ${needed} pixels, ${room} fit into ${columns} columns`,
    )
  }
}
