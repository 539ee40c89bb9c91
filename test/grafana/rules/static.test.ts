import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { milliseconds } from '../../../grafana/mixin/promql/duration.ts'
import { RULES_INFO } from '../../../grafana/mixin/promql/metrics.ts'
import { COMPONENTS, SEVERITIES } from '../../../grafana/mixin/rules/groups/rule.ts'
import { renderRules } from '../../../grafana/mixin/rules/rules.ts'
import { PROMETHEUS } from '../../../grafana/mixin/settings.ts'
import { readText } from '../../repository/repository.ts'
import { panelQueries } from '../dashboards/queries.ts'
import { isCounter, KNOWN_METRICS } from '../promql/known_metrics.ts'
import {
  children,
  type Expression,
  nodes,
  nodesNamed,
  parse,
  resultLabels,
  selectorsOf,
} from '../promql/parse.ts'
import { LINKS } from './cases/case.ts'
import { expanded } from './expanded.ts'

/** Static checks of the rendered rules. */

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly keep_firing_for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
interface Group {
  readonly name: string
  readonly interval: string
  readonly rules: readonly Rule[]
}
type Node = Expression['root']

const groupsOf = (links: Partial<typeof LINKS>): Group[] =>
  renderRules(links).flatMap(({ text }) => (parseYaml(text) as { groups: Group[] }).groups)
const GROUPS = groupsOf(LINKS)
const ALL_RULES = GROUPS.flatMap(({ rules }) => rules)
const RULES = ALL_RULES.filter(({ record }) => record !== RULES_INFO)
const ALERTS = RULES.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]))
const RECORDED = new Map(RULES.flatMap(({ record, expr }) => (record === undefined ? [] : [[record, expr]])))
const ROWS = ALERTS.map((rule) => ({ ...rule, name: `${rule.alert} ${rule.labels?.['severity']}` }))
const SCRAPE_MS = PROMETHEUS.scrapeIntervalSeconds * 1000

const VARIABLES = new Map(
  buildDashboards().map(({ uid = '', templating }) => [uid, (templating.list ?? []).map(({ name }) => name)]),
)

const COMPARISONS = ['Gtr', 'Lss', 'Gte', 'Lte', 'Eql', 'Neq']
const OPERANDS = [
  'BinaryExpr',
  'ParenExpr',
  'AggregateExpr',
  'FunctionCall',
  'VectorSelector',
  'UnaryExpr',
  'OffsetExpr',
]
const operandsOf = (node: Node): Node[] =>
  children(node).flatMap((child) =>
    child.name === 'FunctionCallBody' ? operandsOf(child) : OPERANDS.includes(child.name) ? [child] : [],
  )

/** Whether the expression can have no result, so that the alert can be silent: each branch must compare. */
const canBeSilent = ({ text }: Expression, node: Node): boolean => {
  if (node.name === 'FunctionCall' && text.slice(node.from).startsWith('absent(')) return true
  const parts = operandsOf(node).map((part) => canBeSilent({ text, root: part }, part))
  if (node.name !== 'BinaryExpr') return parts.includes(true)
  if (node.getChild('Or')) return parts.every((part) => part)
  if (node.getChild('Unless')) return true
  const compares = COMPARISONS.some((name) => node.getChild(name)) && !node.getChild('BoolModifier')
  return compares || parts.includes(true)
}

const comparing = (expr: string): boolean => {
  const expression = parse(expr)
  const [top] = operandsOf(expression.root)
  return top !== undefined && canBeSilent(expression, top)
}

describe('every alert', () => {
  test.each(ROWS)('$name compares', ({ expr }) => expect(comparing(expr)).toBe(true))

  test.each(ROWS)('$name waits at least two scrapes, or covers a window', (rule) => {
    const windows = nodesNamed(parse(rule.expr), 'MatrixSelector')
    if (rule.for === undefined) expect(windows.length).toBeGreaterThan(0)
    else expect(milliseconds(rule.for)).toBeGreaterThanOrEqual(2 * SCRAPE_MS)
    if (rule.expr.includes('absent(')) expect(rule.for).toBeDefined()
    if (rule.keep_firing_for) expect(milliseconds(rule.keep_firing_for)).toBeGreaterThan(0)
  })

  test.each(ROWS)('$name has its labels and annotations', ({ alert, labels = {}, annotations = {} }) => {
    expect(Object.keys(labels).toSorted()).toEqual(['component', 'severity'])
    expect(SEVERITIES).toContain(labels['severity'])
    expect(COMPONENTS).toContain(labels['component'])
    expect(JSON.stringify(labels)).not.toContain('{{')
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url', 'dashboard_url'])
    expect(annotations['summary']).toMatch(/^[A-Z][^{}]+\.$/)
    expect(annotations['description']).toMatch(/\.$|\)\.$/)
    expect(annotations['runbook_url']).toBe(`${LINKS.runbookBaseUrl}#${alert.toLowerCase()}`)
  })

  test.each(ROWS)('$name links to a dashboard and to variables that exist', ({ annotations = {} }) => {
    const url = annotations['dashboard_url'] ?? ''
    expect(url.startsWith(LINKS.grafanaUrl)).toBe(true)
    const path = url.slice(LINKS.grafanaUrl.length)
    const [, uid = '', query = ''] = /^\/d\/([\w-]+)(?:\?(.+))?$/.exec(path) ?? []
    const variables = VARIABLES.get(uid)
    expect(variables, uid).toBeDefined()
    for (const [, name = ''] of query.matchAll(/var-(\w+)=/g)) expect(variables).toContain(name)
  })

  test('have no links without their base', () => {
    const annotations = groupsOf({}).flatMap(({ rules }) =>
      rules.flatMap((rule) => (rule.annotations === undefined ? [] : [rule.annotations])),
    )
    expect(annotations.length).toBe(ALERTS.length)
    for (const each of annotations) expect(Object.keys(each)).toEqual(['summary', 'description'])
  })

  test.each(ROWS)('$name uses only labels of its expression', ({ expr, annotations = {} }) => {
    const labels = resultLabels(expanded(expr)) ?? new Set()
    const used = [
      ...Object.values(annotations)
        .join(' ')
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, name]) => name)
    expect(used.filter((name = '') => !labels.has(name))).toEqual([])
  })

  test.each(ROWS)('$name does not select a changing set of series', ({ expr }) => {
    expect(expr).not.toMatch(/\b(topk|bottomk|limitk|limit_ratio|sort|sort_desc|rand)\b/)
  })
})

describe('names', () => {
  test('of alerts have the prefix and are unique, so that each has one severity', () => {
    for (const { alert } of ALERTS) expect(alert).toMatch(/^Sds([A-Z][a-z]+)+$/)
    const names = ALERTS.map(({ alert }) => alert)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })

  test('stand with a summary of their own, also those of a warning and its critical level', () => {
    const summaries = ALERTS.map(({ annotations }) => annotations?.['summary'])
    expect(summaries.toSorted()).toEqual([...new Set(summaries)].toSorted())
  })

  test('words of alerts are those of the vendor and of Prometheus', () => {
    const texts = ALERTS.map(
      ({ annotations }) => `${annotations?.['summary']} ${annotations?.['description']}`,
    )
    const own = /\b(nobody|whoever|feed|query interface|figures|by the fault|withdrawn)\b/
    expect(texts.filter((text) => own.test(text))).toEqual([])
  })

  test('of recorded series have level, metric and operation', () => {
    for (const record of RECORDED.keys()) expect(record).toMatch(/^system(_[a-z]+)*:sds_[a-z_]+:[a-z]+$/)
  })

  test('of recorded series are used in an alert or a panel', () => {
    const used = [...ALERTS, ...panelQueries()].map(({ expr }) => expr).join('\n')
    expect([...RECORDED.keys()].filter((name) => !used.includes(name))).toEqual([])
  })

  // promtool computes the past of all rules from the data that was there before.
  test('of recorded series are in no expression of another', () => {
    for (const expr of RECORDED.values()) expect(expr).not.toMatch(/\w:sds_/)
  })

  test('have one expression each', () => {
    const expressions = RULES.map(({ expr }) => expr)
    expect(expressions.toSorted()).toEqual([...new Set(expressions)].toSorted())
  })
})

const COUNTING = ['rate', 'increase', 'irate']
const WINDOWED = [...COUNTING, 'changes', 'delta', 'deriv', 'predict_linear']

describe('every expression', () => {
  const rows = RULES.map(({ alert, record, labels, expr }) => ({
    name: alert === undefined ? record : `${alert} ${labels?.['severity']}`,
    expr,
  }))

  test.each(rows)('$name selects metrics and labels that exist', ({ expr }) => {
    for (const { metric, matchers } of selectorsOf(parse(expr))) {
      const labels = KNOWN_METRICS.get(metric)
      if (labels === undefined) expect([...RECORDED.keys()]).toContain(metric)
      else for (const { label } of matchers) expect(labels, metric).toContain(label)
    }
    // Throws where an aggregation or a match names a label that its operand does not have.
    expect(resultLabels(expanded(expr))).toBeDefined()
  })

  test.each(rows)('$name takes rates of counters only, over at least two scrapes', ({ expr }) => {
    for (const { metric, range, around } of selectorsOf(parse(expr))) {
      if (COUNTING.includes(around[0] ?? '')) expect(isCounter(metric), metric).toBe(true)
      if (['delta', 'deriv', 'changes'].includes(around[0] ?? '')) expect(isCounter(metric)).toBe(false)
      if (WINDOWED.includes(around[0] ?? ''))
        expect(milliseconds(range ?? '')).toBeGreaterThanOrEqual(2 * SCRAPE_MS)
    }
  })

  test.each(rows)('$name does not compare the value of a counter', ({ expr }) => {
    const bare = selectorsOf(parse(expr)).filter(
      ({ metric, around }) => isCounter(metric) && !around.some((name) => COUNTING.includes(name)),
    )
    for (const { metric } of bare) {
      // The exception compares the value with the one before a window.
      expect(expr).toMatch(new RegExp(`${metric}\\S* unless ${metric}\\S* == last_over_time`))
    }
  })

  test.each(rows)('$name does not divide by 0', ({ expr }) => {
    const expression = parse(expr)
    const divisions = nodes(expression.root).filter((node) => node.getChild('Div'))
    for (const node of divisions) {
      const divisor = node.lastChild
      expect(expression.text.slice(divisor?.from, divisor?.to)).toMatch(/> 0\)$/)
    }
  })

  test.each(rows)('$name counts a system once, with any number of exporters', ({ expr, name }) => {
    const labels = resultLabels(expanded(expr)) ?? new Set()
    if (/^Sds(Exporter(Down|Absent|Restarting)|ConfigReloadFailed|OtlpPushFailing) /.test(name ?? '')) return
    expect([...labels]).not.toContain('instance')
    expect([...labels]).not.toContain('job')
  })
})

test('each file has the version of the program', () => {
  const { version } = JSON.parse(readText('package.json'))
  const infos = ALL_RULES.filter(({ record }) => record === RULES_INFO)
  const info = (file: string) => ({ record: 'sds:rules_info', expr: 'vector(1)', labels: { version, file } })
  expect(infos).toEqual(['sds-recording', 'sds-alerts'].map(info))
})

test('groups are evaluated as often as the exporter is scraped', () => {
  for (const { interval } of GROUPS) expect(milliseconds(interval)).toBe(SCRAPE_MS)
})
