import { describe, expect, test } from 'vitest'
import { promql } from '../../../grafana/mixin/promql/expression.ts'
import { columnPixels, panelPixels, titleRoom } from '../../../grafana/mixin/sdk/fit.ts'
import { stat } from '../../../grafana/mixin/sdk/stat.ts'
import { ofType, optionsOf, PANELS } from './panels.ts'
import { queriesOf } from './queries.ts'

describe('titles', () => {
  test('fit into their panels', () => {
    const cut = PANELS.filter(
      ({ panel }) => (panel.title ?? '').replace('$topn', '20').length > titleRoom(panel.gridPos?.w ?? 0),
    )
    expect(cut.map(({ where }) => where)).toEqual([])
  })

  test('have twelve characters in the narrowest tiles', () => {
    expect(titleRoom(4)).toBe(12)
    expect(Math.min(...PANELS.map(({ panel }) => panel.gridPos?.w ?? 0))).toBe(4)
  })

  const tile = (title: string, width: number) =>
    stat({
      title,
      about: ['What.', 'Normal.', 'Otherwise.'],
      queries: [{ expr: promql`vector(1)` }],
      unit: 'none',
      width,
    })

  test('that would be cut, and tiles that are too narrow, are not built', () => {
    expect(() => tile('Twelve chars', 4)).not.toThrow()
    expect(() => tile('Thirteen char', 4)).toThrow(/13 characters, 12 fit into 4 columns/)
    expect(() => tile('Short', 3)).toThrow(/at least 4 columns/)
  })

  test('have room in the narrowest window: 1366 pixels with the menu of Grafana', () => {
    expect(panelPixels(24)).toBe(1034)
  })
})

describe('columns of tables', () => {
  /** Padding and border of a cell. */
  const EDGE_PIXELS = 13

  test.each([
    ['Nodes', 44.2],
    ['Disks', 37.3],
    ['Memory', 56],
  ])('have room for the header %s, which is %d pixels wide in Grafana', (title, pixels) => {
    expect(columnPixels(title, '')).toBeGreaterThanOrEqual(EDGE_PIXELS + pixels)
  })
})

describe('graphs', () => {
  test('are filled only where values are stacked or alone', () => {
    for (const { panel, where } of ofType('timeseries')) {
      const { fillOpacity, stacking, drawStyle } = panel.fieldConfig?.defaults.custom ?? {}
      const queries = queriesOf(panel)
      const alone = queries.length === 1 && !(queries[0]?.legendFormat ?? '').includes('{{')
      if (!stacking && !alone && drawStyle !== 'bars') expect(fillOpacity, where).toBe(0)
      expect(
        panel.fieldConfig?.overrides.flatMap(({ properties }) => properties.map(({ id }) => id)),
        where,
      ).not.toContain('custom.fillOpacity')
    }
  })

  test('have their legend beside them only for many series, and where it leaves room for the graph', () => {
    for (const { panel, where } of ofType('timeseries')) {
      const queries = queriesOf(panel)
      const named = queries.some(({ legendFormat = '' }) => legendFormat.includes('{{'))
      const legend = optionsOf(panel).legend
      if (!named || (panel.gridPos?.w ?? 0) < 12) expect(legend?.placement, where).toBe('bottom')
      if (legend?.placement === 'bottom' && (named || queries.length > 3))
        expect(legend.displayMode, where).toBe('list')
      expect(panel.gridPos?.h, where).toBeGreaterThan(7)
    }
  })

  test('of names that are few and short have them below', () => {
    const below = ofType('timeseries').filter(({ panel }) =>
      queriesOf(panel).some(({ legendFormat = '' }) =>
        /^[a-z ]*\{\{(purpose|level|category)\}\}$/.test(legendFormat),
      ),
    )
    expect(below.length).toBeGreaterThan(4)
    for (const { panel, where } of below) expect(optionsOf(panel).legend?.placement, where).toBe('bottom')
  })

  test('that are narrow have at most two columns of numbers', () => {
    for (const { panel, where } of ofType('timeseries'))
      if ((panel.gridPos?.w ?? 0) < 12)
        expect(optionsOf(panel).legend?.calcs?.length, where).toBeLessThanOrEqual(2)
  })

  test('of nodes have the whole width, because names of nodes are long', () => {
    for (const { panel, where } of ofType('timeseries'))
      if (queriesOf(panel).some(({ legendFormat = '' }) => legendFormat.includes('{{node}}')))
        expect(panel.gridPos?.w, where).toBe(24)
  })

  test('name pools and nodes with their system', () => {
    const drawn = PANELS.filter(({ panel }) => ['timeseries', 'state-timeline'].includes(panel.type))
    const short = drawn.filter(({ panel }) =>
      queriesOf(panel).some(
        ({ legendFormat = '' }) =>
          /\{\{(pool|node)\}\}/.test(legendFormat) && !legendFormat.includes('{{system}}'),
      ),
    )
    // The node dashboard shows one node.
    expect(short.map(({ where }) => where)).toEqual(['sds-node / Health over time'])
  })
})

describe('the first screen of the fleet dashboard in a window of 1366 × 768 pixels', () => {
  /** Grafana's bars, one line of variables, and the header of the first row. */
  const ABOVE_PIXELS = 183
  const ROW_PIXELS = 38
  const TABLE_HEADER_PIXELS = 70
  const TABLE_ROW_PIXELS = 36

  test('has all tiles and eight pools', () => {
    const fleet = PANELS.filter(({ where }) => where.startsWith('sds-fleet / '))
    const pools = fleet.find(({ panel }) => panel.title === 'Pools')?.panel
    const tiles = fleet.filter(({ panel }) => panel.type === 'stat')
    const top = ABOVE_PIXELS + ((pools?.gridPos?.y ?? 0) - 1) * ROW_PIXELS
    expect(tiles.every(({ panel }) => (panel.gridPos?.y ?? 99) < (pools?.gridPos?.y ?? 0))).toBe(true)
    expect(top + TABLE_HEADER_PIXELS + 8 * TABLE_ROW_PIXELS).toBeLessThanOrEqual(768)
    expect((pools?.gridPos?.h ?? 0) * ROW_PIXELS).toBeGreaterThanOrEqual(
      TABLE_HEADER_PIXELS + 8 * TABLE_ROW_PIXELS,
    )
  })
})
