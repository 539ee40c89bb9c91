import { describe, expect, test } from 'vitest'
import { parse, resultLabels } from '../promql/parse.ts'
import { ofType } from './panels.ts'
import { queriesOf } from './queries.ts'

describe('tables', () => {
  const TABLES = ofType('table')

  test('can be filtered', () => {
    for (const { panel, where } of TABLES) {
      expect(panel.fieldConfig?.defaults.custom.filterable, where).toBe(true)
    }
  })

  test.each(TABLES)('$where joins results with the same labels', ({ panel }) => {
    const queries = queriesOf(panel)
    const labels = queries.map(({ expr = '' }) => [...(resultLabels(parse(expr)) ?? [])].sort())
    for (const other of labels) expect(other).toEqual(labels[0])
    for (const { format, instant } of queries) expect([format, instant]).toEqual(['table', true])
  })

  test('have a title of every value and an order of the columns', () => {
    for (const { panel, where } of TABLES) {
      const organize = panel.transformations?.find(({ id }) => id === 'organize')
      if (!organize) {
        expect(
          panel.transformations?.map(({ id }) => id),
          where,
        ).toEqual(['groupingToMatrix'])
        continue
      }
      const { excludeByName, indexByName, renameByName } = organize.options
      expect(excludeByName, where).toEqual({ Time: true })
      const labels = [...(resultLabels(parse(queriesOf(panel)[0]?.expr ?? '')) ?? [])]
      expect(Object.keys(indexByName), where).toEqual(
        expect.arrayContaining([...labels, ...Object.keys(renameByName)]),
      )
      const headings = new Set<unknown>([...labels, ...Object.values(renameByName)])
      const named = panel.fieldConfig?.overrides.map(({ matcher }) => matcher.options) ?? []
      expect(
        named.filter((name) => !headings.has(name)),
        where,
      ).toEqual([])
    }
  })

  test('use the cells of Grafana 9.4', () => {
    const modes = TABLES.flatMap(({ panel }) =>
      (panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
        properties.filter(({ id }) => id === 'custom.displayMode').map(({ value }) => value),
      ),
    )
    expect(new Set(modes)).toEqual(new Set(['color-background-solid', 'color-text', 'lcd-gauge']))
  })
})
