import { readFileSync } from 'node:fs'
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { buildDashboards, DASHBOARDS, renderDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { GRAFANA, UIDS } from '../../../grafana/mixin/settings.ts'
import { isRow, panelsOf, queriesOf } from './queries.ts'

const PAGES = buildDashboards().map((page) => ({ uid: page.uid ?? '', page }))

/** All rows and panels of a dashboard, including panels of collapsed rows. */
const everything = (page: Dashboard) =>
  (page.panels ?? []).flatMap((panel) => (isRow(panel) ? [panel, ...panel.panels] : [panel]))

const repeated = <T>(list: readonly T[]): T[] => list.filter((item, index) => list.indexOf(item) !== index)

test('there are ten dashboards, each with its uid of the settings', () => {
  expect(PAGES.map(({ uid }) => uid).sort()).toEqual(Object.values(UIDS).sort())
  expect(DASHBOARDS).toHaveLength(10)
})

describe('the JSON files', () => {
  test.each(renderDashboards())('$path is up to date', ({ path, text }) => {
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toBe(text)
  })

  test('are the same when built again', () => {
    expect(renderDashboards()).toEqual(renderDashboards())
  })

  test('have sorted keys', () => {
    const check = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if (!Array.isArray(value)) expect(Object.keys(value)).toEqual(Object.keys(value).toSorted())
      for (const member of Object.values(value)) check(member)
    }
    for (const { text } of renderDashboards()) {
      const numeric = JSON.parse(text, (key, value) =>
        key === 'options' && isNumbered(value) ? null : value,
      )
      check(numeric)
    }
  })

  test('have neither id nor version, which Grafana sets', () => {
    for (const { text } of renderDashboards()) {
      expect(Object.keys(JSON.parse(text))).not.toContain('id')
      expect(Object.keys(JSON.parse(text))).not.toContain('version')
    }
  })
})

/** JavaScript puts numeric keys first, which is a stable order, too. */
const isNumbered = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).some((key) => /^\d+$/.test(key))

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
    for (const panel of panelsOf(page).filter(({ type }) => type === 'table')) {
      expect(panel.fieldConfig?.defaults.custom, panel.title).toBeDefined()
    }
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

  /** How many panels cover each cell of the grid. */
  const coverage = (boxes: readonly Box[]): number[][] => {
    const top = Math.min(...boxes.map(({ y }) => y))
    const bottom = Math.max(...boxes.map(({ y, h }) => y + h))
    return Array.from({ length: bottom - top }, (_, line) =>
      Array.from(
        { length: 24 },
        (__, column) =>
          boxes.filter(
            ({ x, y, w, h }) => column >= x && column < x + w && line + top >= y && line + top < y + h,
          ).length,
      ),
    )
  }

  test.each(SHEETS)('$sheet fills its 24 columns without gaps and overlaps', ({ boxes }) => {
    for (const { x, w, title } of boxes) expect(x + w, title).toBeLessThanOrEqual(24)
    for (const [line, counts] of coverage(boxes).entries()) {
      expect(counts, `line ${line}`).toEqual(Array.from({ length: 24 }, () => 1))
    }
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
