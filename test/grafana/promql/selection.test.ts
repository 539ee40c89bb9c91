import { expect, test } from 'vitest'
import { substitute } from '../../../grafana/mixin/promql/selection.ts'
import { panelQueries, substitutedQueries } from '../dashboards/queries.ts'

const EXPR = 'topk($topn, rate(x{job=~"$job",system=~"$system|",pool=~"$pool"}[$__rate_interval]))'

test('All matches any value of the label', () => {
  expect(substitute(EXPR)).toBe('topk(10, rate(x{job=~".+",system=~".+|",pool=~".+"}[240s]))')
})

test('several values are an alternation in brackets', () => {
  expect(substitute(EXPR, { job: ['a'], system: ['b', 'c'], topn: 5 })).toBe(
    'topk(5, rate(x{job=~"a",system=~"(b|c)|",pool=~".+"}[240s]))',
  )
})

test('ranges and intervals are those of the time range and the panel', () => {
  const expr = 'max_over_time(x[$__interval]) and min_over_time(x[$__range])'
  expect(substitute(expr)).toBe('max_over_time(x[60s]) and min_over_time(x[21600s])')
  expect(substitute(expr, { intervalSeconds: 300, rangeSeconds: 3600 })).toBe(
    'max_over_time(x[300s]) and min_over_time(x[3600s])',
  )
})

test('special characters of a value are escaped', () => {
  expect(substitute('x{pool=~"$pool"}', { pool: ['a.b (1)'] })).toBe(String.raw`x{pool=~"a\\.b \\(1\\)"}`)
})

test('all variables of all queries are replaced', () => {
  expect(substitutedQueries({ node: ['n1'] })).toHaveLength(panelQueries().length)
  for (const { expr } of substitutedQueries({ node: ['n1'] })) expect(expr).not.toMatch(/\$(?!1")/)
})
