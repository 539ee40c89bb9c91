import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { promql } from '../../../grafana/mixin/promql/expression.ts'
import { from, PLAIN } from '../../../grafana/mixin/sdk/spec.ts'
import { table } from '../../../grafana/mixin/sdk/table.ts'
import { parse, resultLabels } from '../promql/parse.ts'
import { ofType, property } from './panels.ts'
import { queriesOf } from './queries.ts'

const TABLES = ofType('table')

const labelsOf = (expr = ''): string[] => [...(resultLabels(parse(expr)) ?? [])]

interface Organize {
  readonly excludeByName: Readonly<Record<string, boolean>>
  readonly indexByName: Readonly<Record<string, number>>
  readonly renameByName: Readonly<Record<string, string>>
}

/** Undefined for a matrix. */
const organizeOf = (panel: Panel): Organize | undefined =>
  panel.transformations?.find(({ id }) => id === 'organize')?.options

/** Labels of all results: those that identify a row. */
const rowLabels = (panel: Panel): string[] => {
  const [first = [], ...more] = queriesOf(panel).map(({ expr }) => labelsOf(expr))
  return first.filter((label) => more.every((list) => list.includes(label)))
}

describe('tables', () => {
  test('can be filtered by the columns of labels; a filter icon on numbers would cut their titles', () => {
    for (const { panel, where } of TABLES) {
      const { renameByName } = organizeOf(panel) ?? {}
      for (const label of renameByName ? rowLabels(panel) : []) {
        expect(property(panel, renameByName?.[label] ?? label, 'custom.filterable'), where).toBe(true)
      }
    }
  })

  test.each(TABLES)('$where joins results with the labels of its rows', ({ panel }) => {
    const organize = organizeOf(panel)
    const rows = rowLabels(panel)
    expect(rows).not.toEqual([])
    for (const { expr, refId, format, instant } of queriesOf(panel)) {
      expect([format, instant]).toEqual(['table', true])
      const further = labelsOf(expr).filter((label) => !rows.includes(label))
      if (further.length === 0) continue
      // A column of text: one further label, which has a title, and a value that is not shown.
      expect(further).toEqual([expect.any(String)])
      expect(organize?.renameByName[further[0] ?? '']).toMatch(/^[A-Z]/)
      expect(organize?.excludeByName[`Value #${refId}`]).toBe(true)
    }
  })

  test('have a title of every value and an order of the columns', () => {
    for (const { panel, where } of TABLES) {
      const organize = organizeOf(panel)
      if (!organize) {
        const ids = panel.transformations?.map(({ id }) => id)
        expect([where, ids]).toEqual([where, ['groupingToMatrix']])
        continue
      }
      const { excludeByName, indexByName, renameByName } = organize
      expect(excludeByName['Time'], where).toBe(true)
      const rows = rowLabels(panel)
      expect(Object.keys(indexByName), where).toEqual(expect.arrayContaining(rows))
      const headings = new Set<unknown>([
        ...rows.map((label) => renameByName[label] ?? label),
        ...Object.values(renameByName),
        '/.*/',
      ])
      const named = panel.fieldConfig?.overrides.map(({ matcher }) => matcher.options) ?? []
      const unknown = named.filter((name) => !headings.has(name))
      expect([where, unknown]).toEqual([where, []])
    }
  })

  test('have a text for the empty table, and a dash in every empty cell', () => {
    for (const { panel, where } of TABLES) {
      expect(panel.fieldConfig?.defaults.noValue, where).toMatch(/^\w.*\w/)
      expect(panel.fieldConfig?.overrides, where).toContainEqual({
        matcher: { id: 'byRegexp', options: '/.*/' },
        properties: [{ id: 'noValue', value: '–' }],
      })
    }
  })

  test('have no text in an empty cell of a column with links, because Grafana would make a link of it', () => {
    const linked = TABLES.flatMap(({ panel, where }) => {
      const overrides = panel.fieldConfig?.overrides ?? []
      const dash = overrides.findIndex(({ matcher }) => matcher.options === '/.*/')
      const columns = overrides.filter(({ properties }) => properties.some(({ id }) => id === 'links'))
      const later = overrides.slice(dash + 1)
      return columns.map(({ matcher }) => ({ where, column: matcher.options, later }))
    })
    expect(linked.length).toBeGreaterThan(10)
    for (const { where, column, later } of linked) {
      const matcher = { id: 'byName', options: column }
      expect(later, where).toContainEqual({ matcher, properties: [{ id: 'noValue', value: '' }] })
    }
  })

  test('do not colour an empty cell, also where lower is worse and the smallest value is red', () => {
    const columns = TABLES.flatMap(({ panel, where }) =>
      Object.values(organizeOf(panel)?.renameByName ?? {}).map((title) => ({ where, panel, title })),
    ).filter(({ panel, title }) => property(panel, title, 'custom.displayMode') === 'color-background-solid')
    expect(columns.length).toBeGreaterThan(30)
    for (const { where, panel, title } of columns) {
      const mappings = property(panel, title, 'mappings') as { type: string; options: unknown }[]
      expect(mappings.at(-1), `${where} / ${title}`).toMatchObject({
        type: 'special',
        options: { match: 'null+nan', result: { text: '–', color: 'transparent' } },
      })
    }
  })
})

describe('a table is not built', () => {
  const column = (title: string) => ({ title, expr: promql`vector(1)`, unit: 'none' })
  const spec = {
    title: 'Table',
    ...{ shows: 'What.', normal: 'Normal.', otherwise: 'Otherwise.' },
    rows: ['system', 'pool'],
    columns: [column('One'), column('Two')],
    noValue: 'Nothing',
    width: 12,
  } as const

  test('when its columns do not fit', () => {
    expect(() => table(spec)).not.toThrow()
    const columns = Array.from({ length: 8 }, (_, index) => column(`Column ${index}`))
    expect(() => table({ ...spec, columns })).toThrow(/its columns need \d+ pixels, \d+ fit into 12 columns/)
    expect(() => table({ ...spec, columns, width: 24 })).not.toThrow()
  })

  test('when a cell with a bar could be empty', () => {
    const bar = { ...column('Bar'), unit: 'percentunit', bar: true, steps: PLAIN }
    expect(() => table({ ...spec, columns: [bar] })).not.toThrow()
    const columns = [bar, { ...column('Two'), steps: from(1, 'warning') }]
    expect(() => table({ ...spec, columns })).toThrow(/an empty cell would show 0/)
  })
})
