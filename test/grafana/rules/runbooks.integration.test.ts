import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { QUERY_RANGE } from '../../../grafana/mixin/promql/latency.ts'
import { ALERT_GROUPS } from '../../../grafana/mixin/rules/rules.ts'
import { DEFAULT_NUMBERS } from '../../../grafana/mixin/settings.ts'
import { proseOf } from '../../../scripts/generators/runbooks.ts'
import { keyOf } from '../../../src/alerting/sources.ts'
import { counted } from '../../../src/text.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { testRules } from '../../support/promtool.ts'
import { KNOWN_METRICS } from '../promql/known_metrics.ts'
import { parse, resultLabels, selectorsOf } from '../promql/parse.ts'
import { QUERY_CASES, queryTest } from './cases/runbook_queries.ts'

const ALL_ROWS = ALERT_GROUPS.flatMap(({ component, alerts }) =>
  alerts.map(({ alert, escalates }) => ({
    alert,
    escalates,
    component,
    prose: proseOf(component).get(alert) ?? '',
  })),
)
/** A critical level has the runbook of its warning. */
const ROWS = ALL_ROWS.filter(({ escalates }) => escalates === undefined)

const PARTS = ['Meaning.', 'Impact.', 'Diagnosis.', 'Mitigation.', 'Silence']
/** Commands of the program that runbooks may use. */
const COMMANDS =
  /^sds-exporter (check|doctor|nodes|providers list) --config\.file=sds-exporter\.yml( --system=SYSTEM)?$/
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const
const FENCE = /^```(\w+)\n([\s\S]*?)\n```$/gm
const fences = (prose: string, language: string): string[] =>
  [...prose.matchAll(FENCE)].flatMap(([, name, text = '']) => (name === language ? [text] : []))

/** Defaults of settings in words, by key and level as in "80 % (`used_ratio.warning`)". */
const DEFAULTS = new Map(
  Object.entries(DEFAULT_NUMBERS).map(([path, value]) => {
    const [name = '', ...level] = path.split('.')
    return [[keyOf(name), ...level].join('.'), worded(name, value)]
  }),
)

function worded(name: string, value: number): string {
  if (name.endsWith('Ratio')) return `${Number((value * 100).toFixed(6))} %`
  if (!name.endsWith('Seconds')) return String(value)
  const [unit, seconds] = UNITS.find(([, size]) => value % size === 0) ?? ['ms', 0.001]
  return unit === 'ms' ? `${value / seconds} ms` : counted(value / seconds, unit)
}

describe('the runbook', () => {
  test.each(ROWS)('of $alert has the defaults of the settings that it names', ({ prose }) => {
    for (const [, before = '', key = ''] of prose.matchAll(/([^(`]*)\(`([\w.]+)`\)/g)) {
      const value = DEFAULTS.get(key)
      expect(value, key).toBeDefined()
      expect(` ${before}`, key).toMatch(new RegExp(`\\s${value}[^\\d]*$`))
    }
  })

  test.each(ROWS)('of $alert has all five parts', ({ prose }) => {
    expect([...prose.matchAll(/^\*\*(\S+)\*\*/gm)].map(([, part]) => part)).toEqual(PARTS)
  })

  test.each(ROWS)('of $alert has valid queries and commands', ({ prose }) => {
    const queries = fences(prose, 'promql')
    const commands = fences(prose, 'sh')
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) {
      resultLabels(parse(query))
      for (const { metric, matchers } of selectorsOf(parse(query))) {
        const labels = KNOWN_METRICS.get(metric)
        expect(labels, metric).toBeDefined()
        for (const { label } of matchers) expect(labels, metric).toContain(label)
      }
    }
    for (const command of commands) expect(command).toMatch(COMMANDS)
  })

  test.each(ROWS)('of $alert does not sum or average ratios of nodes', ({ prose }) => {
    const selectors = fences(prose, 'promql').flatMap((query) => selectorsOf(parse(query)))
    const ratios = selectors.filter(({ metric }) => metric.endsWith('_ratio'))
    for (const { metric, around } of ratios) {
      expect(
        around.filter((name) => name === 'sum' || name === 'avg'),
        metric,
      ).toEqual([])
    }
  })

  test.each(ROWS)('of $alert has the range of the rules for the histogram of latencies', ({ prose }) => {
    const selectors = fences(prose, 'promql').flatMap((query) => selectorsOf(parse(query)))
    const buckets = selectors.filter(({ metric }) => metric === 'sds_node_transaction_latency_seconds_bucket')
    for (const { range } of buckets) expect(range).toBe(QUERY_RANGE)
  })

  test('has queries that agree with its rule', async () => {
    using folder = temporaryFolder()
    const tests = QUERY_CASES.map((case_) => {
      const prose = ROWS.find(({ alert }) => alert === case_.alert)?.prose ?? ''
      return queryTest(case_, fences(prose, 'promql')[case_.query] ?? 'no such query')
    })
    const { code, stdout, stderr } = await testRules(folder.write('queries.yml', stringify({ tests })))
    expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
  })

  test('sources have no section of an alert that does not exist', () => {
    for (const { component, alerts } of ALERT_GROUPS) {
      const names = new Set<string>(alerts.map(({ alert }) => alert))
      expect([...proseOf(component).keys()].filter((name) => !names.has(name))).toEqual([])
    }
  })
})
