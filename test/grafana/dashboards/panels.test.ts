import * as units from '@grafana/grafana-foundation-sdk/units'
import { describe, expect, test } from 'vitest'
import { UIDS } from '../../../grafana/mixin/settings.ts'
import { ofType, optionsOf, PANELS, SHOWN } from './panels.ts'
import { queriesOf } from './queries.ts'

describe('every panel', () => {
  test.each(PANELS)('$where has a title and a description with three parts', ({ panel }) => {
    expect(panel.title).toMatch(/^\S.*\S$/)
    const parts = (panel.description ?? '').split('\n\n')
    expect(parts).toHaveLength(3)
    expect(parts[1]).toMatch(/^Normal: /)
    expect(parts[2]).toMatch(/^Otherwise: /)
    for (const part of parts) expect(part).toMatch(/\S\.$/)
    for (const part of parts) expect(part.length).toBeGreaterThan(9)
  })

  test('has a unit of Grafana', () => {
    const known = new Set<unknown>(Object.values(units))
    expect(
      SHOWN.filter(({ unit }) => !known.has(unit)).map(({ where, unit }) => `${where}: ${unit}`),
    ).toEqual([])
  })

  test('has the axis 0 to 1 for ratios', () => {
    const ratios = SHOWN.filter(({ unit }) => unit === 'percentunit')
    expect(ratios.length).toBeGreaterThan(20)
    const full = ratios.filter(({ soft }) => soft === undefined)
    for (const { where, min, max } of full) expect([min, max], where).toEqual([0, 1])
  })

  test('does not scale values with a unit', () => {
    // The score of a pool is no quantity, and targets are percentages.
    const scaled = SHOWN.filter(({ where }) => !/ Issues$|% by trend$|time to 90 %/.test(where)).filter(
      ({ unit, expr }) => unit !== 'h' && /[*/] (?:100|1000|1e\d|1024)\b/.test(expr),
    )
    expect(scaled.map(({ where }) => where)).toEqual([])
  })
})

test('the text of an empty panel does not say that all is well, or not served, where there may be no data', () => {
  const certain = PANELS.filter(({ where, panel }) => {
    const text = panel.fieldConfig?.defaults.noValue
    return (
      !where.startsWith(UIDS.exporter) &&
      text !== undefined &&
      !/no data|with data|reported|rules|within a day/i.test(text)
    )
  })
  expect(certain.map(({ where }) => where)).toEqual([])
})

test('panels say why they are empty', () => {
  const silent = ofType('timeseries', 'table', 'state-timeline', 'heatmap').filter(
    ({ panel }) => panel.fieldConfig?.defaults.noValue === undefined,
  )
  expect(silent.map(({ where }) => where)).toEqual([])
})

describe('time series', () => {
  test.each(ofType('timeseries'))(
    '$where has a legend and a common tooltip, and does not join gaps',
    ({ panel }) => {
      const { legend } = optionsOf(panel)
      expect(legend).toMatchObject({ showLegend: true })
      if (legend?.placement === 'right') {
        const [id, title] = legend.calcs?.[0] === 'max' ? ['max', 'Max'] : ['lastNotNull', 'Last *']
        expect(legend).toMatchObject({ displayMode: 'table', calcs: [id], sortBy: title, sortDesc: true })
      }
      expect(panel.options.tooltip).toEqual({ mode: 'multi', sort: 'desc' })
      expect(panel.fieldConfig?.defaults.custom).toMatchObject({
        lineWidth: 1,
        spanNulls: false,
        showPoints: 'never',
      })
    },
  )

  test('are stacked only where values can be added', () => {
    const stacked = ofType('timeseries').filter(({ panel }) => panel.fieldConfig?.defaults.custom.stacking)
    expect(stacked.length).toBeGreaterThan(5)
    for (const { panel, where } of stacked) {
      expect(['Bps', 'bytes', 'none', 'ops'], where).toContain(panel.fieldConfig?.defaults.unit)
    }
  })
})

test('stats have instant queries, so that they never show a value of some time ago', () => {
  const ranged = ofType('stat')
    .filter(({ panel }) => queriesOf(panel).some(({ instant }) => !instant))
    .map(({ where }) => where)
  expect(ranged).toEqual([])
})

test('state timelines do not join gaps, and show states as text and colour', () => {
  const timelines = ofType('state-timeline')
  expect(timelines.length).toBeGreaterThan(5)
  for (const { panel, where } of timelines) {
    expect(panel.fieldConfig?.defaults.custom.spanNulls, where).toBe(false)
    expect(panel.fieldConfig?.defaults.mappings, where).not.toEqual([])
    expect(panel.options.showValue, where).toBe('auto')
  }
})

describe('graphs of many nodes', () => {
  const OF_NODES = /(?<![:\w])sds_node_\w+(?=\{)|\bsystem_pool_node:\w+:\w+/g
  /** The dashboard of one node is left out. */
  const graphs = PANELS.filter(({ where }) => !where.startsWith('sds-node /')).flatMap(({ where, panel }) =>
    queriesOf(panel)
      .filter(({ instant }) => !instant)
      .map(({ expr = '' }) => ({ where, panel, metrics: new Set(expr.match(OF_NODES)) }))
      .filter(({ metrics }) => metrics.size > 0),
  )

  // A fleet has thousands of nodes: each of them at every minute takes seconds.
  test('have a point every five minutes or fewer', () => {
    expect(graphs.length).toBeGreaterThan(10)
    expect(
      graphs.filter(({ panel }) => !/^(5|10)m$/.test(panel.interval ?? '')).map(({ where }) => where),
    ).toEqual([])
  })

  test('calculate nothing of two scraped metrics at each point: that is recorded', () => {
    const scraped = (metrics: ReadonlySet<string>) => [...metrics].filter((name) => !name.includes(':'))
    const joined = graphs.filter(({ metrics }) => scraped(metrics).length > 1)
    expect(joined.map(({ where }) => where)).toEqual([])
  })
})

test('state timelines and heatmaps remove empty results, with which Grafana would not show the text for no data', () => {
  for (const { panel, where } of ofType('state-timeline', 'heatmap')) {
    expect(panel.transformations, where).toEqual([
      { id: 'filterFieldsByName', options: { include: { pattern: '/.*/' } } },
    ])
  }
})
