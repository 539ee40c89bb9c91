import { beforeAll, describe, expect, test } from 'vitest'
import { type Selection, substitute } from '../../../../grafana/mixin/promql/selection.ts'
import { ALL, annotationQueries, panelQueries } from '../queries.ts'
import { NOTHING, place, queriesAt, run, unitTest } from './evaluate.ts'
import {
  EXPECTED,
  EXPECTED_OF_FAULTLESS,
  EXPECTED_OF_LINES,
  EXPECTED_OF_NEWER,
  EXPECTED_OF_ONE_NODE,
  FAULTLESS,
  NEWER,
  ONE_NODE,
} from './expected_values.ts'
import { ALL_SERIES, SERIES } from './input_series.ts'
import { NOW } from './series.ts'

const QUERIES = panelQueries()

/** Types of panels with single values or states; each panel of these types has an expectation. */
const FIGURES = ['stat', 'state-timeline']

describe('the values of panels', () => {
  test('are tested for every panel with single values or states', () => {
    const places = new Set(QUERIES.filter(({ type }) => FIGURES.includes(type)).map(place))
    const covered = { ...EXPECTED, ...EXPECTED_OF_ONE_NODE }
    expect([...places].filter((where) => !(where in covered))).toEqual([])
    expect(places.size).toBeGreaterThan(35)
  })

  test('are tested for every query of a tested panel', () => {
    for (const table of [
      EXPECTED,
      EXPECTED_OF_LINES,
      EXPECTED_OF_ONE_NODE,
      EXPECTED_OF_NEWER,
      EXPECTED_OF_FAULTLESS,
    ]) {
      for (const [where, answers] of Object.entries(table)) {
        expect(answers.length, where).toBe(queriesAt(where).length)
      }
    }
  })

  test('are correct with a pair of exporters', async () => {
    const output = await run([
      unitTest('everything', SERIES, {}, EXPECTED, EXPECTED_OF_LINES),
      unitTest('one node', SERIES, ONE_NODE, EXPECTED_OF_ONE_NODE),
      unitTest('a newer system', SERIES, NEWER, EXPECTED_OF_NEWER),
      unitTest('a faultless system', SERIES, FAULTLESS, EXPECTED_OF_FAULTLESS),
    ])
    expect(output).toContain('SUCCESS')
  })

  test('are empty without data: no 0 where nothing is known, or no rules are loaded', async () => {
    const silent = Object.fromEntries(
      Object.entries({ ...EXPECTED, ...EXPECTED_OF_ONE_NODE }).map(([where, answers]) => [
        where,
        answers.map(() => NOTHING),
      ]),
    )
    const output = await run([unitTest('silence', [], {}, silent)])
    expect(output).toContain('SUCCESS')
  })
})

/** Queries without a result for constant series, with the reason. */
const EXPECTED_EMPTY: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^annotation Exporter restarts$/, 'no exporter restarts'],
  [/ pools by disks gone bad in a day /, 'no disk changes its state'],
  [/ Node states \/ [BE]$/, 'no node has this health'],
  [/ \/ Pools \/ G$/, 'forecasts are short, and little space is used'],
  [/ When pools are full \/ [CDEG]$|in 30 days \/ B$|two forecasts \/ B$/, 'there are no days of data'],
  [/ garbage reclaimed in a day \/ A$| namespaces by size \/ B$/, 'there are no days of data'],
  [/ and earlier days \/ [BC]$/, 'there are no days of data'],
]

describe('all queries', () => {
  const queries = [
    ...QUERIES.map((query) => ({ where: `${place(query)} / ${query.refId}`, expr: query.expr })),
    ...annotationQueries().map(({ name, expr }) => ({ where: `annotation ${name}`, expr })),
  ]

  const expressionsFor = (selection: Selection) =>
    queries.map(({ expr }) => substitute(expr, { instance: ['a:9438', 'b:9438'], ...selection }))
  const SELECTIONS: readonly Selection[] = [
    ALL,
    { system: ['fra'], pool: ['p1'] },
    ONE_NODE,
    { system: ['fra', 'muc'], pool: ['p1', 'p2'], topn: 5 },
  ]
  let output: string
  beforeAll(async () => {
    // Expects no results, so that promtool lists every query with a result or an error.
    const promql_expr_test = [...new Set(SELECTIONS.flatMap(expressionsFor))].map((expr) => ({
      expr,
      eval_time: `${NOW}s`,
      exp_samples: [],
    }))
    output = await run([{ interval: '1m', input_series: ALL_SERIES, promql_expr_test }])
  })

  test('can be evaluated for everything, a pool, a node and two pools with a pair of exporters, and return numbers', () => {
    expect(output).toContain('got: {')
    expect(
      output
        .split('\n')
        .filter((line) => /err:|\} (NaN|[+-]?Inf)/.test(line.replace(/expr: ".*", time/, ''))),
    ).toEqual([])
  })

  test('have a result when everything is served', () => {
    const expressions = expressionsFor(ALL)
    const empty = queries.filter((_, index) => !output.includes(JSON.stringify(expressions[index] ?? '')))
    const expected = (where: string) => EXPECTED_EMPTY.some(([pattern]) => pattern.test(where))
    expect(empty.map(({ where }) => where).filter((where) => !expected(where))).toEqual([])
  })
})
