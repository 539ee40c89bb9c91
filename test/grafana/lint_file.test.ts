import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from '../repository/repository.ts'

interface Entry {
  readonly alert?: string
  readonly dashboard?: string
}
interface Exclusion {
  readonly reason: string
  readonly entries?: readonly Entry[]
}

/** The rules of dashboard-linter 0.2 and mixtool that a file may exclude. A name that they do not have has no effect. */
const RULES = new Set([
  ...['datasource', 'job', 'instance', 'label-promql', 'on-time-change-reload'].map(
    (name) => `template-${name}-rule`,
  ),
  ...['datasource', 'title-description', 'units', 'no-targets'].map((name) => `panel-${name}-rule`),
  ...['logql', 'logql-auto', 'promql', 'rate-interval', 'job', 'instance', 'counter-agg'].map(
    (name) => `target-${name}-rule`,
  ),
  'uneditable-dashboard',
  'alert-group-rule-count',
  'alert-group-name-length',
  'alert-name-camelcase',
  'alert-name-length',
  'alert-severity-rule',
  'alert-description-missing-rule',
  'alert-description-templating',
  'alert-summary-missing-rule',
  'alert-summary-templating',
  'alert-summary-style',
])

const { exclusions, ...others } = parse(readText('grafana/.lint')) as {
  exclusions: Readonly<Record<string, Exclusion>>
}
const { groups } = parse(readText('deploy/prometheus/rules/sds-alerts.yml')) as {
  groups: readonly { name: string; rules: readonly { alert?: string }[] }[]
}

describe('the file .lint of the mixin', () => {
  test('excludes only rules that exist, each with a reason', () => {
    expect(others).toEqual({})
    expect(Object.keys(exclusions).filter((name) => !RULES.has(name))).toEqual([])
    for (const [name, { reason, entries: _, ...unknown }] of Object.entries(exclusions))
      expect({ name, unknown, reason }).toEqual({ name, unknown: {}, reason: expect.stringMatching(/\.$/) })
  })

  test('names alerts, groups and dashboards that exist', () => {
    const alerts = groups.flatMap(({ name, rules }) => [name, ...rules.map(({ alert }) => alert ?? '')])
    const { title } = JSON.parse(readText('grafana/dashboards/sds-exporter.json'))
    for (const { entries = [] } of Object.values(exclusions))
      for (const { alert, dashboard, ...unknown } of entries) {
        expect(unknown).toEqual({})
        if (dashboard === undefined) expect(alerts).toContain(alert)
        else expect(dashboard).toBe(title)
      }
  })
})
