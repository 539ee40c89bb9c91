import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { readAlertmanagerConfig } from '../../../src/commands/doctor/services/alertmanager.ts'

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

test('receivers with an integration', () => {
  const { integrated } = readAlertmanagerConfig(`
receivers:
  - {name: root, email_configs: [{to: a}]}
  - {name: log, webhook_configs: []}
  - {name: none}
`)
  expect(integrated).toEqual(['root'])
})
