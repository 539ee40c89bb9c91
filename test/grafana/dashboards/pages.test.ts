import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { GRAFANA } from '../../../grafana/mixin/settings.ts'
import { isRow, panelsOf, queriesOf } from './queries.ts'

const PAGES = buildDashboards().map((page) => ({ uid: page.uid ?? '', page }))

/** All rows and panels of a dashboard, including panels of collapsed rows. */
const everything = (page: Dashboard) =>
  (page.panels ?? []).flatMap((panel) => (isRow(panel) ? [panel, ...panel.panels] : [panel]))

const repeated = <T>(list: readonly T[]): T[] => list.filter((item, index) => list.indexOf(item) !== index)

describe.each(PAGES)('$uid', ({ page }) => {
  test('cannot be edited in the browser', () => {
    expect(page.editable).toBe(false)
  })

  test('has a title, a description, the tags of the settings and the time zone of the browser', () => {
    expect(page.title).toMatch(/^Storage \/ \w/)
    expect(page.description).toMatch(/[?.]$/)
    expect(page.tags).toEqual([...GRAFANA.tags])
    expect(page.timezone).toBe('browser')
    expect(page.graphTooltip).toBe(1)
  })

  test('has a time range and a refresh interval of the settings', () => {
    expect(page.time?.from).toMatch(/^now-(6h|24h|30d)$/)
    expect(page.time?.to).toBe('now')
    expect(Object.values(GRAFANA.refresh)).toContain(page.refresh)
  })

  test('has the schema version and table cells of Grafana 9.4', () => {
    expect(page.schemaVersion).toBe(37)
    expect(JSON.stringify(page)).not.toContain('cellOptions')
  })

  test('has unique ids of panels and rows, and unique titles of panels', () => {
    const ids = everything(page).map(({ id }) => id)
    expect(repeated(ids)).toEqual([])
    for (const id of ids) expect(id).toBeGreaterThan(0)
    expect(repeated(panelsOf(page).map(({ title }) => title))).toEqual([])
  })

  test('starts with an open row, and collapsed rows contain their panels', () => {
    const rows = (page.panels ?? []).filter(isRow)
    expect(rows[0]?.collapsed).toBe(false)
    expect(page.panels?.[0]?.type).toBe('row')
    for (const row of rows) {
      if (row.collapsed) expect(row.panels.length, row.title).toBeGreaterThan(0)
      else expect(row.panels, row.title).toEqual([])
    }
  })

  test('has one switch, for critical alerts, which is off: their regions would cover the graphs', () => {
    const list = page.annotations.list ?? []
    expect(list.map(({ name }) => name)).toEqual([
      'Annotations & Alerts',
      'Critical alerts',
      'Exporter restarts',
    ])
    expect(list.map(({ enable }) => enable)).toEqual([true, false, true])
    expect(list.map(({ hide }) => hide ?? false)).toEqual([true, false, true])
    expect(list[0]?.builtIn).toBe(1)
  })
})

describe('layout', () => {
  interface Box {
    readonly title: string
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  const box = (panel: { title?: string; gridPos?: Omit<Box, 'title'> }): Box => ({
    title: panel.title ?? '',
    ...(panel.gridPos ?? { x: -1, y: -1, w: 0, h: 0 }),
  })

  /** The grids: a dashboard with its open rows, and each collapsed row. */
  const SHEETS = PAGES.flatMap(({ uid, page }) => [
    { sheet: uid, boxes: (page.panels ?? []).map(box) },
    ...(page.panels ?? [])
      .filter(isRow)
      .filter(({ collapsed }) => collapsed)
      .map((row) => ({ sheet: `${uid} / ${row.title}`, boxes: row.panels.map(box) })),
  ])

  const range = (start: number, count: number) => Array.from({ length: count }, (_, index) => start + index)

  test.each(SHEETS)('$sheet fills its 24 columns without gaps and overlaps', ({ boxes }) => {
    for (const { x, w, title } of boxes) expect(x + w, title).toBeLessThanOrEqual(24)
    const cells = boxes.flatMap(({ x, y, w, h }) =>
      range(y, h).flatMap((line) => range(x, w).map((column) => `${line}/${column}`)),
    )
    const top = Math.min(...boxes.map(({ y }) => y))
    const lines = Math.max(...boxes.map(({ y, h }) => y + h)) - top
    expect(new Set(cells).size).toBe(cells.length)
    expect(cells.length).toBe(24 * lines)
  })
})

test('every query has its letter and the selected data source', () => {
  const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }
  for (const { uid, page } of PAGES) {
    for (const panel of panelsOf(page)) {
      const where = `${uid} / ${panel.title}`
      expect(panel.datasource, where).toEqual(datasource)
      const queries = queriesOf(panel)
      expect(queries.length, where).toBeGreaterThan(0)
      expect(queries.map(({ refId }) => refId).join(''), where).toBe(
        'ABCDEFGHIJKLMNOP'.slice(0, queries.length),
      )
      for (const query of queries) {
        expect(query.datasource, where).toEqual(datasource)
        expect(query.exemplar, where).toBe(false)
      }
    }
  }
})
