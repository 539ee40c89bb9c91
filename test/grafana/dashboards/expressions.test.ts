import { describe, expect, test } from 'vitest'
import { QUERY_RANGE } from '../../../grafana/mixin/promql/latency.ts'
import { isCounter, KNOWN_METRICS, KNOWN_NAMES } from '../promql/known_metrics.ts'
import {
  children,
  metricsOf,
  nodesNamed,
  parse,
  RATE_INTERVAL,
  resultLabels,
  type Selector,
  selectorsOf,
} from '../promql/parse.ts'
import { annotationQueries, panelQueries } from './queries.ts'

interface Query {
  readonly where: string
  readonly expr: string
}

const PANELS = panelQueries().map(({ dashboard, panel, refId, ...query }) => {
  return { where: `${dashboard} / ${panel} / ${refId}`, ...query }
})
const QUERIES: readonly Query[] = [
  ...PANELS,
  ...annotationQueries().map(({ dashboard, name, expr }) => {
    return { where: `${dashboard} / annotation ${name}`, expr }
  }),
]

/** The selectors of all queries, with the panel and query. */
const selectors = (): { where: string; selector: Selector; metrics: string[] }[] =>
  QUERIES.flatMap(({ where, expr }) =>
    selectorsOf(parse(expr)).map((selector) => {
      return { where, selector, metrics: metricsOf(selector, KNOWN_NAMES) }
    }),
  )

/** The places of all items that are wrong. */
const offenders = <T extends { where: string }>(list: readonly T[], wrong: (item: T) => boolean): string[] =>
  list.filter(wrong).map(({ where }) => where)

/** Alerts and recorded series have no label `job`, because the rules aggregate it away. */
const WITHOUT_JOB = /^ALERTS$|:/

/** Aggregations whose result does not change when a series is duplicated. */
const INDIFFERENT_TO_COPIES = new Set(['max', 'min'])

/** Metrics about one exporter, which are not deduplicated, and recorded series, which already are. */
const PER_EXPORTER =
  /^(.+:.+|up|scrape_.+|process_.+|nodejs_.+|sds_exporter_.+|sds_api_.+|sds_query_.+|sds_pool_polls_total|ALERTS)$/

const AGGREGATIONS = new Set(
  'sum count avg max min topk bottomk quantile stddev group count_values'.split(' '),
)
const RATES = new Set(['rate', 'irate', 'increase'])
/** Counters of storage systems: their points come every five minutes, at every resolution of a panel. */
const FIVE_MINUTE_COUNTER = /^sds_node_/
const LONG_RANGES: readonly (string | undefined)[] = [QUERY_RANGE, '3h']
/** Of the reason of failures, which is shown as text and not over time. */
const REASON = { metric: 'sds_pool_polls_total', range: '1h' }
/** Tiles with one number for the time range of the dashboard. */
const FAULT_TILES = /^sds-exporter \/ Faults in the time range/

describe('every selector', () => {
  test.each(QUERIES)('$where is PromQL with matching labels', ({ expr }) => {
    expect(() => resultLabels(parse(expr))).not.toThrow()
  })

  test('selects by the variable job, in the form that the dashboard linter requires', () => {
    const wrong = offenders(selectors(), ({ selector }) => {
      if (WITHOUT_JOB.test(selector.metric)) return false
      return !selector.matchers.some(
        ({ label, operator, value }) => label === 'job' && operator === '=~' && value === '$job',
      )
    })
    expect(wrong).toEqual([])
  })

  // A hidden variable with `.*`, which also matches series without the label.
  test('selects by the variable cluster', () => {
    const wrong = offenders(
      selectors(),
      ({ selector }) =>
        !selector.matchers.some(
          ({ label, operator, value }) => label === 'cluster' && operator === '=~' && value === '$cluster',
        ),
    )
    expect(wrong).toEqual([])
  })

  test('selects existing metrics and labels', () => {
    const wrong = selectors().flatMap(({ where, selector, metrics }) => [
      ...(metrics.length === 0 ? [`${where}: nothing is called ${selector.metric}`] : []),
      ...metrics.flatMap((metric) => {
        const labels = KNOWN_METRICS.get(metric)
        if (!labels) return [`${where}: nothing is called ${metric}`]
        const used = selector.matchers.map(({ label }) => label).filter((label) => label !== '__name__')
        return used
          .filter((label) => !labels.includes(label))
          .map((label) => `${where}: ${metric} has no label ${label}`)
      }),
    ])
    expect(wrong).toEqual([])
  })
})

describe('every query', () => {
  test('takes rates of counters only, over $__rate_interval or a range for counters of storage systems', () => {
    const rates = selectors().filter(
      ({ selector, where }) => RATES.has(selector.around[0] ?? '') && !FAULT_TILES.test(where),
    )
    expect(rates.length).toBeGreaterThan(5)
    const wrongRange = offenders(rates, ({ selector }) =>
      FIVE_MINUTE_COUNTER.test(selector.metric)
        ? !LONG_RANGES.includes(selector.range)
        : selector.range !== RATE_INTERVAL &&
          !(selector.metric === REASON.metric && selector.range === REASON.range),
    )
    expect(wrongRange).toEqual([])
    expect(offenders(rates, ({ metrics }) => !metrics.every(isCounter))).toEqual([])
    const bare = selectors().filter(({ selector }) => !RATES.has(selector.around[0] ?? ''))
    expect(offenders(bare, ({ metrics }) => metrics.some(isCounter))).toEqual([])
  })

  test('does not average counters', () => {
    const counters = selectors().filter(({ metrics }) => metrics.some(isCounter))
    expect(offenders(counters, ({ selector }) => selector.around.includes('avg'))).toEqual([])
  })

  test('counts each node once, with any number of exporters', () => {
    const doubled = selectors().filter(({ metrics }) => !metrics.some((metric) => PER_EXPORTER.test(metric)))
    const wrong = offenders(doubled, ({ selector }) => {
      const first = selector.around.find((operation) => AGGREGATIONS.has(operation))
      return !INDIFFERENT_TO_COPIES.has(first ?? '')
    })
    expect(wrong).toEqual([])
  })

  test('has @ end() in topk and bottomk of range queries', () => {
    const chosen = PANELS.flatMap(({ where, expr, instant }) => {
      const expression = parse(expr)
      return nodesNamed(expression, 'AggregateExpr')
        .map((node) => ({ where, instant, text: expression.text.slice(node.from, node.to) }))
        .filter(({ text }) => /^(topk|bottomk) *\(/.test(text))
    })
    const drawn = chosen.filter(({ instant }) => !instant)
    expect(drawn.length).toBeGreaterThan(2)
    expect(offenders(drawn, ({ text }) => !text.includes('@ end()'))).toEqual([])
  })

  test('does not divide by 0', () => {
    const wrong = offenders(QUERIES, ({ expr }) => {
      const expression = parse(expr)
      return nodesNamed(expression, 'BinaryExpr')
        .filter((node) => node.getChild('Div'))
        .some((node) => {
          const divisor = children(node).at(-1)
          const text = expression.text.slice(divisor?.from, divisor?.to)
          return !/> 0\)$|^[1-9]\d*$/.test(text)
        })
    })
    expect(wrong).toEqual([])
  })
})

describe('legends', () => {
  const drawn = PANELS.filter(({ type }) => type !== 'table')
  const placeholders = (legend: string): string[] =>
    [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)

  test('have a label where a query has several series', () => {
    const wrong = offenders(drawn, ({ expr, legend }) => {
      const labels = resultLabels(parse(expr))
      return (labels?.size ?? 0) > 0 && placeholders(legend).length === 0
    })
    expect(wrong).toEqual([])
  })

  test('use labels of the series', () => {
    const wrong = offenders(drawn, ({ expr, legend }) => {
      const labels = resultLabels(parse(expr)) ?? new Set()
      return placeholders(legend).some((name) => !labels.has(name))
    })
    expect(wrong).toEqual([])
  })

  test('differ between the queries of a panel', () => {
    const keys = drawn
      .filter(({ legend }) => legend !== '')
      .map(({ where, legend }) => `${where.replace(/ \/ \w$/, '')}: ${legend}`)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })
})
