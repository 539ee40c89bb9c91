import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { QUERY_RANGE } from '../../../grafana/mixin/promql/latency.ts'
import { ALERT_GROUPS, renderRules } from '../../../grafana/mixin/rules/rules.ts'
import { filledIn, proseOf, renderRunbooks, sectionsOf } from '../../../scripts/generators/runbooks.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { testRules } from '../../support/promtool.ts'
import { KNOWN_METRICS } from '../promql/known_metrics.ts'
import { parse, resultLabels, selectorsOf } from '../promql/parse.ts'
import { LINKS } from './cases/case.ts'
import { QUERY_CASES, queryTest } from './cases/runbook_queries.ts'

const [DOCUMENT = { path: '', text: '' }] = renderRunbooks()
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

/** As GitHub makes them: lower case, hyphens for spaces, no punctuation, repeated ones numbered. */
const anchors = (markdown: string): string[] => {
  const seen = new Map<string, number>()
  const outsideOfCode = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...outsideOfCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

test('anchors are made as GitHub makes them', () => {
  const text = '# Alerts & what to do\n```sh\n# no heading\n```\n## SdsNodeBad\n## Twice\n### Twice\n'
  expect(anchors(text)).toEqual(['alerts--what-to-do', 'sdsnodebad', 'twice', 'twice-1'])
})

describe('the document', () => {
  const present = new Set(anchors(DOCUMENT.text))

  test('has the anchor that each alert links to', () => {
    const links = renderRules(LINKS).flatMap(({ text }) =>
      [...text.matchAll(/runbook_url: (\S+)#(\S+)/g)].map(([, base, anchor = '']) => ({ base, anchor })),
    )
    expect(links.length).toBe(ALL_ROWS.length)
    for (const { base, anchor } of links) {
      expect(base).toBe(LINKS.runbookBaseUrl)
      expect(present).toContain(anchor)
    }
  })

  test('has no broken links', () => {
    for (const [, anchor] of DOCUMENT.text.matchAll(/\]\(#([^)]+)\)/g)) expect(present).toContain(anchor)
  })

  test('lists every alert in its index', () => {
    for (const { alert } of ALL_ROWS)
      expect(DOCUMENT.text).toContain(`| [${alert}](#${alert.toLowerCase()}) |`)
  })
})

const PARTS = ['Meaning.', 'Impact.', 'Diagnosis.', 'Mitigation.', 'Silence']
/** Commands of the program that runbooks may use. */
const COMMANDS =
  /^sds-exporter (check|doctor|nodes|providers list) --config\.file=sds-exporter\.yml( --system=SYSTEM)?$/
const FENCE = /^```(\w+)\n([\s\S]*?)\n```$/gm
const fences = (prose: string, language: string): string[] =>
  [...prose.matchAll(FENCE)].flatMap(([, name, text = '']) => (name === language ? [text] : []))

describe('placeholders', () => {
  const [rule] = ALERT_GROUPS.flatMap(({ alerts }) => alerts).filter(({ alert }) => alert === 'SdsDisksBad')
  if (rule === undefined) throw new Error('there is no alert SdsDisksBad')

  test.each([
    ['{usedRatio.warning}', '80 %'],
    ['{systemErrorRatio.warning}', '0.1 %'],
    ['{certificateSeconds.warning}', '14 days'],
    ['{clockSkewSeconds.warning}', '30 seconds'],
    ['{outlierLatencySeconds}', '50 ms'],
    ['{trendSeconds}', '1 day'],
    ['{manyBadDisks} disks', '3 disks'],
    ['for {for}', 'for 15 minutes'],
    ['up{job="x"}', 'up{job="x"}'],
  ])('%s becomes %s', (prose, expected) => expect(filledIn(prose, rule)).toBe(expected))

  test.each(['{nothing}', '{usedRatio}', '{usedRatio.info}'])('%s is refused', (prose) => {
    expect(() => filledIn(prose, rule)).toThrow('SdsDisksBad: no setting or duration')
  })
})

describe('the runbook', () => {
  test.each(ROWS)('of $alert has all five parts', ({ prose }) => {
    expect([...prose.matchAll(/^\*\*(\S+)\*\*/gm)].map(([, part]) => part)).toEqual(PARTS)
  })

  test.each(ROWS)('of $alert has valid queries and commands', ({ prose }) => {
    const queries = fences(prose, 'promql')
    const commands = fences(prose, 'sh')
    expect(queries.length).toBeGreaterThan(0)
    expect(commands.length).toBeGreaterThan(0)
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

  test('is divided by headings of the second level', () => {
    expect([...sectionsOf('before\n## A\n\ntext\n### B\n## C\nmore\n')]).toEqual([
      ['A', 'text\n### B'],
      ['C', 'more'],
    ])
  })
})
