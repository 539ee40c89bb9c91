import { describe, expect, test } from 'vitest'
import { references } from '../../grafana/mixin/references.ts'
import { type AlertingConfig, DEFAULT_ALERTING, type Override } from '../../src/alerting/config.ts'
import { valuesOf } from '../../src/alerting/references.ts'
import { variantsOf } from '../../src/alerting/rules.ts'
import type { AlertSource } from '../../src/alerting/sources.ts'

const ROWS = { usedRatio: { about: 'used', warning: 0.8, critical: 0.9 } } as const
const { usedRatio } = references(ROWS)
const ALERT: AlertSource = {
  alert: 'SdsFull',
  severity: 'critical',
  expr: `used > ${usedRatio.critical}`,
  for: '5m',
  summary: 'Full.',
  description: 'Full.',
  advice: 'act',
  dashboard: '/d/x',
}
const NOTHING = { values: {}, for: {}, keepFiringFor: {}, disabled: [] }
const override = (system: string, more: Partial<Override>): Override => ({ ...NOTHING, system, ...more })
const critical = (value: number) => ({ values: { 'usedRatio.critical': value } })

function variants(config: Partial<AlertingConfig>, alert: Partial<AlertSource> = {}) {
  const found = variantsOf({ ...ALERT, ...alert }, valuesOf(ROWS), { ...DEFAULT_ALERTING, ...config })
  return found.map(({ alert: { expr, for: wait, keepFiringFor }, only, except }) => ({
    rule: [expr, wait, keepFiringFor].filter((part) => part !== undefined).join(' '),
    only,
    except,
  }))
}

const PARIS = { system: 'paris' }
const ARCHIVE = { system: 'paris', pool: 'archive' }
const own = [critical(0.7), critical(0.95)] as const

describe('an alert', () => {
  test('has the defaults, or the values for all systems', () => {
    expect(variants({})).toEqual([{ rule: 'used > 0.9 5m', only: undefined, except: [] }])
    const all = { ...critical(0.7), for: { SdsFull: '1h' } }
    const keep = { keepFiringFor: { SdsFull: '2h' } }
    expect(variants({ ...all, ...keep })).toEqual([{ rule: 'used > 0.7 1h 2h', only: undefined, except: [] }])
  })

  test('does not exist if it is disabled', () => {
    expect(variants({ disabled: ['SdsFull'], overrides: [override('paris', own[0])] })).toEqual([])
  })

  test('differs for a system, and for one of its pools', () => {
    const overrides = [override('paris', own[0]), override('paris', { ...own[1], pool: 'archive' })]
    expect(variants({ overrides })).toEqual([
      { rule: 'used > 0.9 5m', only: undefined, except: [PARIS] },
      { rule: 'used > 0.7 5m', only: PARIS, except: [ARCHIVE] },
      { rule: 'used > 0.95 5m', only: ARCHIVE, except: [] },
    ])
  })

  test('differs for a pool whose system is as all others', () => {
    const overrides = [override('paris', {}), override('paris', { ...own[1], pool: 'archive' })]
    expect(variants({ overrides })).toEqual([
      { rule: 'used > 0.9 5m', only: undefined, except: [ARCHIVE] },
      { rule: 'used > 0.95 5m', only: ARCHIVE, except: [] },
    ])
  })

  test('takes from the system what the pool does not set, in any order of the overrides', () => {
    const wait = { for: { SdsFull: '1h' } }
    const overrides = [override('paris', { ...own[1], pool: 'archive' }), override('paris', wait)]
    expect(variants({ overrides })).toEqual([
      { rule: 'used > 0.9 5m', only: undefined, except: [PARIS] },
      { rule: 'used > 0.95 1h', only: ARCHIVE, except: [] },
      { rule: 'used > 0.9 1h', only: PARIS, except: [ARCHIVE] },
    ])
  })

  test('has one rule for a pool that is as all others in a system that is not', () => {
    const overrides = [override('paris', own[0]), override('paris', { ...critical(0.9), pool: 'archive' })]
    const rules = variants({ overrides }).map(({ rule }) => rule)
    expect(rules).toEqual(['used > 0.9 5m', 'used > 0.7 5m', 'used > 0.9 5m'])
  })

  test('is disabled for a system only', () => {
    const overrides = [override('paris', { disabled: ['SdsFull'] })]
    const rule = { rule: 'used > 0.9 5m', only: undefined, except: [PARIS] }
    expect(variants({ overrides })).toEqual([rule])
  })

  test.each([
    ['all', []],
    ['system', [PARIS]],
  ] as const)('with scope %s ignores overrides of less', (scope, except) => {
    const overrides = [override('paris', own[0]), override('paris', { ...own[1], pool: 'archive' })]
    expect(variants({ overrides }, { scope })[0]?.except).toEqual(except)
    expect(variants({ overrides }, { scope })).toHaveLength(except.length + 1)
  })

  test('is one rule if overrides are about other alerts', () => {
    const overrides = [override('paris', { disabled: ['SdsOther'], values: { other: 1 } })]
    expect(variants({ overrides })).toHaveLength(1)
  })
})
