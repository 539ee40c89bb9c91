/**
 * Whether texts fit into panels in the narrowest window that is supported: 1366 pixels wide, with Grafana's menu open.
 * A dashboard in which a text would be cut is not built.
 */

import { resolve } from '../../../src/alerting/references.ts'
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
/** Width of a character of Grafana's font, in text that is mostly lower case. */
const CHARACTER_PIXELS = 8.6
const CELL_CHARACTER_PIXELS = 7.6
/** Widths in headers, which are bolder: narrow characters, wide ones, and all others. */
const HEADER_CHARACTERS = [
  { pattern: /[fijlrtI .,:/]/g, pixels: 5 },
  { pattern: /[mwMW%]/g, pixels: 13 },
  { pattern: /[A-HJ-LN-VX-Z]/g, pixels: 10 },
] as const
const HEADER_CHARACTER_PIXELS = 8.6
const CELL_PADDING_PIXELS = 13
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

const headerPixels = (title: string): number =>
  HEADER_CHARACTERS.reduce(
    (sum, { pattern, pixels }) =>
      sum + (title.match(pattern)?.length ?? 0) * (pixels - HEADER_CHARACTER_PIXELS),
    title.length * HEADER_CHARACTER_PIXELS,
  )

/** Width in pixels of a table column for the header `title` with icons, and a longest text. */
export const columnPixels = (title: string, text: string, icons = 0): number =>
  Math.ceil(
    CELL_PADDING_PIXELS +
      Math.max(headerPixels(shown(title)) + icons * ICON_PIXELS, shown(text).length * CELL_CHARACTER_PIXELS),
  )

/** A name in a narrower column could not be recognised. */
const MIN_NAME_PIXELS = 84
/** A long name may be wider than its column by this factor: fewer fixed widths are better in wider windows. */
const NAME_TOLERANCE = 1.05

/** A column whose width is fixed, or that has a share of what the others leave, of at least this. */
export interface ColumnWidth {
  readonly fixed: boolean
  readonly pixels: number
}

const roomOf = (columns: number): number => Math.floor(panelPixels(columns) - TABLE_MARGIN_PIXELS)

/**
 * The widths of the columns of names, then of those of values. Grafana gives columns without a fixed width equal shares of
 * what the others leave, and a column whose smallest width is above its share makes the table wider than its panel. So
 * the widest values have a share, too, as many as leave enough for the names: otherwise the names take half of a wide
 * window.
 * @throws for a table whose columns do not fit
 */
export const columnWidths = (
  title: string,
  columns: number,
  names: readonly number[],
  values: readonly number[],
): ColumnWidth[] => {
  const room = roomOf(columns)
  const widest = [...values.keys()].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0))
  for (let count = values.length; count > 0; count--) {
    const sharing = new Set(widest.slice(0, count))
    const left = room - sum(values.filter((_, index) => !sharing.has(index)))
    const share = left / (names.length + count)
    if (Math.max(...names, ...values.filter((_, index) => sharing.has(index))) > share) continue
    const shared = (pixels: number): ColumnWidth => ({ fixed: false, pixels })
    return [
      ...names.map(shared),
      ...values.map((pixels, index) => (sharing.has(index) ? shared(pixels) : { fixed: true, pixels })),
    ]
  }
  return [
    ...nameWidths(title, columns, names, sum(values)),
    ...values.map((pixels) => ({ fixed: true, pixels })),
  ]
}

/**
 * Where the values leave too little for some of the names, the columns of the shorter names have fixed widths, and leave
 * the rest to them.
 */
const nameWidths = (
  title: string,
  columns: number,
  names: readonly number[],
  others: number,
): ColumnWidth[] => {
  const room = roomOf(columns)
  const left = room - others
  const share = left / names.length
  const smallest = Math.min(MIN_NAME_PIXELS, ...names)
  if (share < smallest) {
    throw new Error(
      `table “${title}”: its columns need ${others + smallest * names.length} pixels, ${room} fit into ${columns} columns`,
    )
  }
  if (Math.max(...names) <= share * NAME_TOLERANCE) {
    return names.map((width) => ({ fixed: false, pixels: Math.min(width, Math.floor(share)) }))
  }
  const short = names.filter((width) => width <= share)
  const rest = Math.floor((left - sum(short)) / (names.length - short.length))
  return names.map((width) =>
    width <= share ? { fixed: true, pixels: width } : { fixed: false, pixels: Math.min(width, rest) },
  )
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
