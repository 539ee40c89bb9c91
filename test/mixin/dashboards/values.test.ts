import { describe, expect, test } from 'vitest'
import { type Selection, substitute } from '../../../mixin/promql/selection.ts'
import { type Answers, NOTHING, place, queriesAt, run, unitTest } from './evaluate.ts'
import { FULL_WORLD, NOW, WORLD } from './input_series.ts'
import { ALL, annotationQueries, panelQueries } from './queries.ts'

const node = (system: string, pool: string, name: string) => ({ system, pool, node: name })
const pool = (system: string, name: string) => ({ system, pool: name })

/** Worked out by hand from world.ts, with everything selected. */
const EXPECTED: Readonly<Record<string, Answers>> = {
  'sds-fleet / Systems not answering': [1],
  'sds-fleet / Nodes by state': [2, 0, 1, 1, 0, [[{ status: 'Rebooting' }, 1]]],
  'sds-fleet / Disks needing attention': [3],
  'sds-fleet / Fleet space used': [0.35],
  'sds-fleet / Time to 90 % full': [432_000],
  'sds-fleet / Firing alerts': [1, 1],
  'sds-fleet / Worst node state per pool': [
    [
      [pool('fra', 'p1'), 3],
      [pool('fra', 'p2'), 2],
      [pool('muc', 'p1'), 0],
      [pool('muc', 'p3'), 5],
    ],
  ],

  'sds-pool / Nodes healthy': [0.4],
  'sds-pool / Space used': [0.35],
  'sds-pool / Free on good disks': [5550],
  'sds-pool / Transactions per second': [210, 150],
  'sds-pool / Mean latency': [13 / 210, 11 / 150],
  'sds-pool / Data age': [602],
  'sds-pool / Feed offers': [1, 0.75, 0.5, 0.5],
  'sds-pool / Node health': [
    [
      [node('fra', 'p1', 'n1'), 0],
      [node('fra', 'p1', 'n2'), 3],
      [node('fra', 'p2', 'n3'), 2],
      [node('muc', 'p1', 'n1'), 0],
      [node('muc', 'p3', 'n9'), 5],
    ],
  ],
  'sds-pool / Space used by node': [
    [
      [node('fra', 'p1', 'n1'), 0.9],
      [node('fra', 'p1', 'n2'), 0.5],
      [node('fra', 'p2', 'n3'), 0.1],
      [node('muc', 'p1', 'n1'), 0.2],
    ],
  ],

  'sds-capacity / Space used': [0.35],
  'sds-capacity / Usable': [10_000],
  'sds-capacity / Allocated': [3500],
  'sds-capacity / Free': [5550],
  'sds-capacity / Reserved': [950],
  'sds-capacity / Offline, all pools': [700],
  'sds-capacity / Space used by pool': [
    [
      [pool('fra', 'p1'), 0.6],
      [pool('fra', 'p2'), 0.1],
      [pool('muc', 'p1'), 0.2],
    ],
  ],
  'sds-capacity / Forecasts not available': [2],
  'sds-capacity / Feed offers': [1, 0.75],
  'sds-capacity / Top $topn nodes closest to 90 %': [
    [
      [node('fra', 'p1', 'n1'), 432_000],
      [node('muc', 'p1', 'n1'), 1_728_000],
    ],
  ],

  'sds-performance / Mean latency now': [13 / 210, 11 / 150],
  'sds-performance / Feed offers': [0.75, 0.5, 0.5],

  'sds-errors / Failed transactions': [20 / 2100],
  'sds-errors / System errors': [5 / 2100],
  'sds-errors / User errors': [15 / 2100],
  'sds-errors / Feed offers': [0.5, 0.5],

  'sds-disks / Disks by state': [41, 1, 1, 2],
  'sds-disks / Not counted in any state': [1],
  'sds-disks / Feed offers': [0.5],
  'sds-disks / Recovery running': [
    [
      [pool('fra', 'p1'), 1],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-disks / Hours of recovery in the last day': [
    [
      // 25 points of five minutes in the two hours that there are.
      [pool('fra', 'p1'), 25 / 12],
      [pool('muc', 'p1'), 0],
    ],
  ],

  'sds-exporter / Exporters up': [1, 2],
  'sds-exporter / Configuration': [0],
  'sds-exporter / Configuration age': [7100],
  'sds-exporter / Upstream certificate expires in': [[[{ system: 'fra' }, 86_400]]],
  'sds-exporter / Clock difference now': [
    [
      [{ system: 'fra' }, 2],
      [{ system: 'muc' }, -40],
    ],
  ],
  'sds-exporter / System reachable': [
    [
      [{ system: 'fra' }, 1],
      [{ system: 'muc' }, 0],
    ],
  ],
  'sds-exporter / Pool poll ok': [
    [
      [{ system: 'fra', pool_id: 'id1', pool: 'p1' }, 1],
      [{ system: 'fra', pool_id: 'id2', pool: 'p2' }, 0],
      [{ system: 'muc', pool_id: 'id3', pool: 'p1' }, 1],
      [{ system: 'muc', pool_id: 'id4', pool: 'id4' }, 0],
    ],
  ],
  'sds-exporter / Providers': [[[{ system: 'fra' }, 3]]],
}

/** Panels that draw lines or rows, of which the arithmetic deserves a proof. */
const EXPECTED_OF_LINES: Readonly<Record<string, Answers>> = {
  'sds-performance / Read latency: mean, 95th percentile of nodes, worst node': [
    [
      [pool('fra', 'p1'), 3 / 110],
      [pool('muc', 'p1'), 0.1],
    ],
    [
      [pool('fra', 'p1'), 0.01 * (1 - 0.95) + 0.2 * 0.95],
      [pool('muc', 'p1'), 0.1],
    ],
    [
      [pool('fra', 'p1'), 0.2],
      [pool('muc', 'p1'), 0.1],
    ],
  ],
  'sds-performance / Background share of disk reads': [[[pool('fra', 'p1'), 0.25]]],
  'sds-disks / Share of disk reads that serves users': [[[pool('fra', 'p1'), 0.75]]],
  'sds-errors / Failure ratio by pool': [
    [
      [pool('fra', 'p1'), 20 / 1100],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-errors / Failures per sample by category': [
    [
      [{ category: 'User' }, 15],
      [{ category: 'System' }, 5],
    ],
  ],
  'sds-capacity / Fullest minus emptiest node': [
    [
      [pool('fra', 'p1'), 0.4],
      [pool('fra', 'p2'), 0],
      [pool('muc', 'p1'), 0],
    ],
  ],
  'sds-pool / NIC use by node, busier direction': [
    [
      [node('fra', 'p1', 'n1'), 0.4],
      [node('fra', 'p1', 'n2'), 0.6],
    ],
  ],
}

/** The page about one node, with that node selected. */
const ONE_NODE: Selection = { system: ['fra'], pool: ['p1'], node: ['n2'] }
const EXPECTED_OF_ONE_NODE: Readonly<Record<string, Answers>> = {
  'sds-node / Health': [3],
  'sds-node / Health over time': [[[{ node: 'n2' }, 3]]],
  'sds-node / Disks by state': [9, 0, 1, 2],
  'sds-node / Space used': [0.5],
  'sds-node / CPU': [0.9],
  'sds-node / Memory': [0.7],
  'sds-node / Network use': [0.6, 0.3],
  'sds-node / Sample age by category': [
    [
      [{ category: 'capacity' }, 602],
      [{ category: 'traffic' }, 902],
    ],
  ],
  'sds-node / Feed offers': [1, 1, 1, 1],
}

/** A pool of a newer system: what it does not serve is told, and no figure is made up. */
const NEWER: Selection = { system: ['fra'], pool: ['p2'] }
const EXPECTED_OF_NEWER: Readonly<Record<string, Answers>> = {
  'sds-pool / Feed offers': [1, 0, 0, 0],
  'sds-pool / Transactions per second': [NOTHING, NOTHING],
  'sds-pool / Mean latency': [NOTHING, NOTHING],
  'sds-errors / Failed transactions': [NOTHING],
  'sds-errors / System errors': [NOTHING],
}

/** A system that serves transactions and had no failure: none is a figure, too. */
const FAULTLESS: Selection = { system: ['muc'] }
const EXPECTED_OF_FAULTLESS: Readonly<Record<string, Answers>> = {
  'sds-errors / Failed transactions': [0],
  'sds-errors / System errors': [0],
  'sds-errors / User errors': [0],
  'sds-fleet / Time to 90 % full': [1_728_000],
  'sds-fleet / Firing alerts': [0, 1],
}

const QUERIES = panelQueries()

/** Panels that show figures or states: a wrong one is believed at once, so each has an expectation. */
const FIGURES = ['stat', 'gauge', 'bargauge', 'state-timeline']

describe('the figures that panels show', () => {
  test('are expected for every panel that shows one', () => {
    const places = new Set(QUERIES.filter(({ type }) => FIGURES.includes(type)).map(place))
    const covered = { ...EXPECTED, ...EXPECTED_OF_ONE_NODE }
    expect([...places].filter((where) => !(where in covered))).toEqual([])
    expect(places.size).toBeGreaterThan(45)
  })

  test('are expected for every query of the panels that are named', () => {
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

  test('are right, by a real Prometheus engine, with a pair of exporters', async () => {
    const { code, stdout, stderr } = await run([
      unitTest('everything', WORLD, {}, EXPECTED),
      unitTest('lines and rows', WORLD, {}, EXPECTED_OF_LINES),
      unitTest('one node', WORLD, ONE_NODE, EXPECTED_OF_ONE_NODE),
      unitTest('a newer system', WORLD, NEWER, EXPECTED_OF_NEWER),
      unitTest('a faultless system', WORLD, FAULTLESS, EXPECTED_OF_FAULTLESS),
    ])
    expect(`${stdout}${stderr}`).toContain('SUCCESS')
    expect(code).toBe(0)
  })

  test('are none at all where no exporter reports: nothing looks healthy for lack of data', async () => {
    const silent = Object.fromEntries(
      Object.entries({ ...EXPECTED, ...EXPECTED_OF_ONE_NODE }).map(([where, answers]) => [
        where,
        where === 'sds-fleet / Firing alerts' ? [0, 0] : answers.map(() => NOTHING),
      ]),
    )
    const { code, stdout, stderr } = await run([unitTest('silence', [], {}, silent)])
    expect(`${stdout}${stderr}`).toContain('SUCCESS')
    expect(code).toBe(0)
  })

  test('are compared at all: a wrong expectation fails', async () => {
    const wrong = { 'sds-fleet / Fleet space used': [0.36] }
    const { code, stdout, stderr } = await run([unitTest('wrong', WORLD, {}, wrong)])
    expect(code).toBe(1)
    expect(`${stdout}${stderr}`).toContain('FAILED')
  })
})

/** Queries that find nothing in a world where nothing changes, each with the reason. */
const RIGHTLY_EMPTY: Readonly<Record<string, string>> = {
  'annotation Exporter restarts': 'no exporter restarts',
  'annotation Health changes': 'no health changes',
}

describe('all queries, the figures and the rest', () => {
  const asked = [
    ...QUERIES.map((query) => ({ where: `${place(query)} / ${query.refId}`, expr: query.expr })),
    ...annotationQueries().map(({ name, expr }) => ({ where: `annotation ${name}`, expr })),
  ]

  /** Expects nothing everywhere, so that promtool lists whatever finds something or cannot be evaluated. */
  const answers = async (selection: Selection) => {
    const exprs = asked.map(({ expr }) => substitute(expr, { instance: ['a:9438', 'b:9438'], ...selection }))
    const promql_expr_test = exprs.map((expr) => ({ expr, eval_time: `${NOW}s`, exp_samples: [] }))
    const { stdout, stderr } = await run([{ interval: '1m', input_series: FULL_WORLD, promql_expr_test }])
    const output = `${stdout}${stderr}`
    return { output, empty: asked.filter((_, index) => !output.includes(JSON.stringify(exprs[index] ?? ''))) }
  }

  test.each([
    { what: 'everything', selection: ALL },
    { what: 'one pool', selection: { system: ['fra'], pool: ['p1'] } },
    { what: 'one node', selection: ONE_NODE },
    { what: 'two pools', selection: { system: ['fra', 'muc'], pool: ['p1', 'p2'], topn: 5 } },
  ])('can be evaluated for $what with a pair of exporters, and give numbers', async ({ selection }) => {
    const { output } = await answers(selection)
    expect(output).toContain('got: {')
    expect(
      output
        .split('\n')
        .filter((line) => /err:|\} (NaN|[+-]?Inf)/.test(line.replace(/expr: ".*", time/, ''))),
    ).toEqual([])
  })

  test('find something when everything is served', async () => {
    const { empty } = await answers(ALL)
    expect(empty.map(({ where }) => where).filter((where) => !(where in RIGHTLY_EMPTY))).toEqual([])
  })
})
