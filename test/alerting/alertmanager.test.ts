import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { readAlertmanagerConfig } from '../../src/alerting/alertmanager.ts'

const INHIBITION = readFileSync('deploy/prometheus/alertmanager-inhibition.yml', 'utf8')

describe('inhibition rules', () => {
  const { inhibit_rules } = parse(INHIBITION) as { inhibit_rules: Record<string, readonly string[]>[] }

  const withoutSpace = (text: string) => text.replaceAll(' ', '')

  test.each([
    ['as in the file', INHIBITION, 0],
    ['with words as expressions', INHIBITION.replaceAll(/ = ("\w+")/g, ' =~ $1'), 0],
    ['none', '', inhibit_rules.length],
    ['all but one', stringify({ inhibit_rules: inhibit_rules.slice(1) }), 1],
    [
      'with the notation and the namespace of the operator',
      stringify({
        inhibit_rules: inhibit_rules.map(({ source_matchers = [], target_matchers = [] }) => ({
          source_matchers: [...source_matchers.map(withoutSpace), 'namespace="sds"'],
          target_matchers: ['namespace="sds"', ...target_matchers.map(withoutSpace)],
        })),
      }),
      0,
    ],
  ])('%s', (_, text, missing) => {
    const { missingInhibitions, inhibitions } = readAlertmanagerConfig(text)
    expect({ missingInhibitions, inhibitions }).toEqual({
      missingInhibitions: missing,
      inhibitions: inhibit_rules.length,
    })
  })
})

test('warnings about the YAML are not printed', () => {
  const warn = vi.spyOn(process, 'emitWarning')
  try {
    readAlertmanagerConfig('%unknown\n---\nglobal: !unknown a\n')
    expect(warn).not.toHaveBeenCalled()
  } finally {
    warn.mockRestore()
  }
})

describe('routes', () => {
  const config = readAlertmanagerConfig(`
route:
  receiver: root
  routes:
    - {receiver: log, continue: true, matchers: ['severity != "info"']}
    - matchers: [severity=~"crit.*"]
      receiver: pager
      routes: [{match: {system: paris}, receiver: paris}, {match_re: {system: (?i)BER.*}}]
    - {match_re: {severity: warning|info}, receiver: none}
receivers:
  - {name: root, email_configs: [{to: a}]}
  - {name: log, webhook_configs: []}
  - {name: pager, pagerduty_configs: [{}]}
  - {name: paris, slack_configs: [{}]}
  - {name: none}
`)
  test.each([
    [
      { severity: 'critical', system: 'frankfurt' },
      { log: false, pager: true },
    ],
    [
      { severity: 'critical', system: 'paris' },
      { log: false, paris: true },
    ],
    [
      { severity: 'critical', system: 'berlin' },
      { log: false, pager: true },
    ],
    [{ severity: 'warning' }, { log: false, none: false }],
    [{ severity: 'info' }, { none: false }],
    [{ severity: 'information' }, { log: false }],
    [{}, { log: false }],
  ])('an alert with %j', (labels, expected) => {
    const found = config.receiversOf(labels).map(({ name, hasIntegration }) => [name, hasIntegration])
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  test('a matcher may have blanks around it, and mean a label that an alert does not have', () => {
    const { receiversOf } = readAlertmanagerConfig(`
route: {receiver: root, routes: [{receiver: others, matchers: ['  team = ""  ', 'severity!=""']}]}
receivers: [{name: root}, {name: others}]
`)
    const namesOf = (labels: Record<string, string>) => receiversOf(labels).map(({ name }) => name)
    expect(namesOf({ severity: 'critical' })).toEqual(['others'])
    expect(namesOf({ severity: 'critical', team: 'storage' })).toEqual(['root'])
    expect(namesOf({})).toEqual(['root'])
  })
})
