import type { VariableModel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../mixin/dashboards/build.ts'
import { UIDS } from '../../../mixin/settings.ts'
import { parse, resultLabels, selectorsOf } from '../promql/parse.ts'

const PAGES = buildDashboards().map((page) => ({ uid: page.uid ?? '', page }))
const variablesOf = (page: (typeof PAGES)[number]['page']): VariableModel[] => page.templating.list ?? []
const expressionOf = ({ query }: VariableModel): string =>
  typeof query === 'string' ? query : String(query?.['query'] ?? '')

/**
 * On the page about exporters All must stand for the exporters alone: with an "all" value of `.+` the panels on
 * `up` and on processes would show every job of the Prometheus. Elsewhere the metrics are ours alone.
 */
const WITHOUT_ALL_VALUE: Readonly<Record<string, readonly string[]>> = {
  [UIDS.exporter]: ['job', 'instance'],
}

describe.each(PAGES)('$uid', ({ uid, page }) => {
  const variables = variablesOf(page)
  const queries = variables.filter(({ type }) => type === 'query')
  const withoutAllValue = WITHOUT_ALL_VALUE[uid] ?? []
  const text = JSON.stringify({ panels: page.panels, annotations: page.annotations })

  test('starts with the data source and the job', () => {
    const [datasource, job] = variables
    expect(datasource).toMatchObject({
      name: 'datasource',
      type: 'datasource',
      label: 'Data source',
      query: 'prometheus',
    })
    expect(job).toMatchObject({
      name: 'job',
      type: 'query',
      label: 'Job',
      multi: true,
      includeAll: true,
    })
  })

  test('has no variable that nothing uses', () => {
    const unused = variables.filter(({ name, type }) => {
      if (type === 'datasource') return false
      const inVariables = JSON.stringify(variables.filter((other) => other.name !== name).map(expressionOf))
      return !text.includes(`$${name}`) && !inVariables.includes(`$${name}`)
    })
    expect(unused.map(({ name }) => name)).toEqual([])
  })

  test('uses no variable that it does not have', () => {
    const names = variables.map(({ name }) => name)
    const used = [...text.matchAll(/\$\{?([a-z]+)\b(?!\()/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !names.includes(name))).toEqual([])
  })

  test('asks for the values again when the time changes, and sorts them as people do', () => {
    for (const { name, refresh, sort, label, datasource } of queries) {
      expect(refresh, name).toBe(2)
      expect(sort, name).toBe(7)
      expect(label, name).toMatch(/^[A-Z]/)
      expect(datasource?.uid, name).toBe('$' + '{datasource}')
    }
  })

  test('asks for the values of a label that the metric has', () => {
    for (const variable of queries) {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(expressionOf(variable)) ?? []
      const expression = parse(selector)
      expect(resultLabels(expression), expressionOf(variable)).toContain(label)
      for (const { matchers } of selectorsOf(expression)) {
        for (const matcher of matchers) expect(resultLabels(expression)).toContain(matcher.label)
      }
      expect(variable.definition).toBe(expressionOf(variable))
    }
  })

  test('lets several be chosen, or all, except where the page is about one node', () => {
    const single = uid === UIDS.node ? ['system', 'pool', 'node'] : []
    for (const variable of queries) {
      const many = !single.includes(variable.name)
      expect(variable.multi, variable.name).toBe(many)
      expect(variable.includeAll, variable.name).toBe(many)
      expect(variable.allValue, variable.name).toBe(
        many && !withoutAllValue.includes(variable.name) ? '.+' : undefined,
      )
      if (many) expect(variable.current?.value, variable.name).toEqual(['$__all'])
    }
  })
})
