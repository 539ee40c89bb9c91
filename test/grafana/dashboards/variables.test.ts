import type { VariableModel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { UIDS } from '../../../grafana/mixin/settings.ts'
import { KNOWN_NAMES } from '../promql/known_metrics.ts'
import { metricsOf, parse, resultLabels, selectorsOf } from '../promql/parse.ts'

const PAGES = buildDashboards().map((page) => ({ uid: page.uid ?? '', page }))
const variablesOf = (page: (typeof PAGES)[number]['page']): VariableModel[] => page.templating.list ?? []
const expressionOf = ({ query }: VariableModel): string =>
  typeof query === 'string' ? query : String(query?.['query'] ?? '')

/**
 * On the exporter dashboard All must expand to the exporters: `.+` would match every job of the Prometheus on panels
 * of `up` and of processes. The metrics of the other dashboards exist for exporters only.
 */
const WITHOUT_ALL_VALUE: Readonly<Record<string, readonly string[]>> = {
  [UIDS.exporter]: ['job', 'instance'],
}

describe.each(PAGES)('$uid', ({ uid, page }) => {
  const variables = variablesOf(page)
  const queries = variables.filter(({ type }) => type === 'query')
  const withoutAllValue = WITHOUT_ALL_VALUE[uid] ?? []
  const text = JSON.stringify({ panels: page.panels, annotations: page.annotations })

  test('uses all of its variables', () => {
    const unused = variables.filter(({ name, type }) => {
      if (type === 'datasource') return false
      const inVariables = JSON.stringify(variables.filter((other) => other.name !== name).map(expressionOf))
      return !text.includes(`$${name}`) && !inVariables.includes(`$${name}`)
    })
    expect(unused.map(({ name }) => name)).toEqual([])
  })

  test('has all variables that it uses', () => {
    const names = variables.map(({ name }) => name)
    const used = [...text.matchAll(/\$\{?([a-z]+)\b(?!\()/g)].map(([, name = '']) => name)
    expect(used.filter((name) => !names.includes(name))).toEqual([])
  })

  test('refreshes the values when the time range changes, and sorts them naturally', () => {
    for (const { name, refresh, sort, label, datasource } of queries) {
      expect(refresh, name).toBe(2)
      expect(sort, name).toBe(7)
      expect(label, name).toMatch(/^[A-Z]/)
      expect(datasource?.uid, name).toBe('$' + '{datasource}')
    }
  })

  test('queries the values of a label of the metric', () => {
    for (const variable of queries) {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(expressionOf(variable)) ?? []
      const expression = parse(selector)
      expect(resultLabels(expression), expressionOf(variable)).toContain(label)
      for (const { matchers } of selectorsOf(expression)) {
        const labels = matchers.map((matcher) => matcher.label).filter((name) => name !== '__name__')
        for (const name of labels) expect(resultLabels(expression)).toContain(name)
      }
      expect(variable.definition).toBe(expressionOf(variable))
    }
  })

  test('allows several values or All, except on the node dashboard', () => {
    const single = uid === UIDS.node ? ['system', 'pool', 'node'] : []
    for (const variable of queries) {
      const many = !single.includes(variable.name)
      expect(variable.multi, variable.name).toBe(many)
      expect(variable.includeAll, variable.name).toBe(many)
      const allValue = variable.name === 'cluster' ? '.*' : '.+'
      expect(variable.allValue, variable.name).toBe(
        many && !withoutAllValue.includes(variable.name) ? allValue : undefined,
      )
      if (many) expect(variable.current?.value, variable.name).toEqual(['$__all'])
    }
  })
})

test('the jobs of the exporter dashboard are those of exporters and, with probes, those of systems', () => {
  const page = PAGES.find(({ uid }) => uid === UIDS.exporter)?.page
  const job = page && variablesOf(page).find(({ name }) => name === 'job')
  const [, selector = ''] = /^label_values\((.+), job\)$/.exec(job ? expressionOf(job) : '') ?? []
  const metrics = selectorsOf(parse(selector)).flatMap((each) => metricsOf(each, KNOWN_NAMES))
  expect(metrics.toSorted()).toEqual(['sds_exporter_build_info', 'sds_system_up'])
})
