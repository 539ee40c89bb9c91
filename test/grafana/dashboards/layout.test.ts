import { describe, expect, test } from 'vitest'
import { PANELS } from './panels.ts'
import { queriesOf } from './queries.ts'

test('graphs name pools and nodes with their system', () => {
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
