import { describe, expect, test } from 'vitest'
import { RULE_SOURCES } from '../../../grafana/mixin/rules/rules.ts'
import { DEFAULT_VALUES } from '../../../grafana/mixin/settings.ts'
import { DEFAULT_LIMITS, DEFAULT_THRESHOLDS } from '../../../grafana/mixin/thresholds.ts'
import { defaultsOf, readDashboards, readRules } from '../../../src/alerting/package_files.ts'
import { pathsIn, resolve } from '../../../src/alerting/references.ts'
import { alertsOf, keyOf, type Scope, type SettingSources, scopeOf } from '../../../src/alerting/sources.ts'
import { resultLabels } from '../promql/parse.ts'
import { expanded } from './expanded.ts'

/** Whether settings may differ by system or by pool. */

const SETTINGS: SettingSources = { ...DEFAULT_THRESHOLDS, ...DEFAULT_LIMITS }
const ALERTS = alertsOf(RULE_SOURCES).map((alert) => ({
  ...alert,
  title: `${alert.alert} ${alert.severity}`,
  labels: resultLabels(expanded(resolve(alert.expr, DEFAULT_VALUES))) ?? new Set(),
  settings: [
    ...new Set(pathsIn(`${alert.expr}${alert.description}`).map((path) => path.replace(/\..*/, ''))),
  ],
}))
/** Thresholds that only panels show. */
const WITHOUT_ALERT = [
  'disksNotGood',
  'goodNodesRatio',
  'recoveryHours',
  'eventLoopLagSeconds',
  'openFilesRatio',
]
const ORDER: readonly Scope[] = ['all', 'system', 'pool']
const narrowest = (scopes: readonly Scope[]): Scope | undefined =>
  ORDER.findLast((scope) => scopes.includes(scope))

test.each(ALERTS)('$title has the scope of its labels', ({ labels, scope = 'pool' }) => {
  expect(scope).toBe(labels.has('pool') ? 'pool' : labels.has('system') ? 'system' : 'all')
})

describe('the setting', () => {
  const pathsAt = (place: RegExp): string[] =>
    readDashboards().flatMap(({ pointers }) =>
      Object.entries(pointers).flatMap(([pointer, text]) => (place.test(pointer) ? pathsIn(text) : [])),
    )
  /** Settings that panels draw as lines, and those that they name, which therefore cannot differ. */
  const lines = pathsAt(/\/fieldConfig\/defaults\/thresholds\//)
  const titles = pathsAt(/\/title$/)

  test.each(Object.keys(SETTINGS))('%s may differ where one of its alerts may', (name) => {
    const users = ALERTS.filter(({ settings }) => settings.includes(name)).map(scopeOf)
    const scope = scopeOf(SETTINGS[name] ?? {})
    if (titles.includes(name)) expect(scope).toBe('all')
    else if (users.length > 0) expect(scope).toBe(narrowest(users))
    else if (scope !== 'all') expect(lines.some((path) => path.startsWith(`${name}.`))).toBe(true)
  })

  test.each(Object.keys(DEFAULT_THRESHOLDS))('%s of lines in panels is that of an alert', (name) => {
    const isDrawn = lines.some((path) => path.startsWith(`${name}.`))
    const isUsed = ALERTS.some(({ settings }) => settings.includes(name))
    expect(isDrawn && !isUsed && !WITHOUT_ALERT.includes(name)).toBe(false)
  })

  test('has a key of its own', () => {
    const keys = Object.keys(SETTINGS).map(keyOf)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toContain('used_ratio')
    expect(keys).toContain('forecast')
  })
})

test('the package has the settings and sources of the mixin', () => {
  expect(readRules().sources).toEqual(RULE_SOURCES)
  expect(defaultsOf(readRules())).toEqual(DEFAULT_VALUES)
})
