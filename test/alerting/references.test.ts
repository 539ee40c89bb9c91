import { describe, expect, test } from 'vitest'
import { negative, references } from '../../grafana/mixin/references.ts'
import { resolve, valuesOf } from '../../src/alerting/references.ts'

const ROWS = {
  usedRatio: { about: 'used', warning: 0.8, critical: 0.9 },
  factor: { about: 'times', value: 3 },
} as const
const { usedRatio, factor } = references(ROWS)
const VALUES = valuesOf(ROWS)

describe('resolve', () => {
  test('replaces references in texts', () => {
    expect(resolve(`x > ${usedRatio.critical} and y > ${factor} * z{a="b"}`, VALUES)).toBe(
      'x > 0.9 and y > 3 * z{a="b"}',
    )
  })

  test('makes a number of a text that is only a reference, at any depth', () => {
    const data = { steps: [{ value: null }, { value: usedRatio.warning }, { value: negative(factor) }] }
    expect(resolve(data, VALUES)).toEqual({ steps: [{ value: null }, { value: 0.8 }, { value: -3 }] })
  })

  test('keeps all other data', () => {
    const data = { text: 'a << b >> c', number: 1, flag: true, nothing: null, list: [] }
    expect(resolve(data, VALUES)).toEqual(data)
  })

  test('refuses a reference to a setting that does not exist', () => {
    expect(() => resolve('<<nothing.warning>>', VALUES)).toThrow('there is no setting nothing.warning')
  })
})
