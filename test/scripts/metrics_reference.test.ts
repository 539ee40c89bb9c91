import { expect, test } from 'vitest'
import { RECORDED } from '../../grafana/mixin/promql/metrics.ts'
import { EXAMPLE_QUERIES } from '../../scripts/generators/metrics_reference.ts'
import { KNOWN_METRICS } from '../grafana/promql/known_metrics.ts'
import { parse, selectorsOf } from '../grafana/promql/parse.ts'

test.each(EXAMPLE_QUERIES)('the example "%s" selects metrics and labels that exist', (_, query) => {
  const selectors = selectorsOf(parse(query))
  expect(selectors.length).toBeGreaterThan(0)
  for (const { metric, matchers } of selectors) {
    const labels = KNOWN_METRICS.get(metric)
    if (labels === undefined) expect(Object.values(RECORDED)).toContain(metric)
    else for (const { label } of matchers) expect(labels, metric).toContain(label)
  }
})
