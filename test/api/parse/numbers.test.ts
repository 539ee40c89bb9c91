import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readNumber } from '../../../src/api/parse/json.ts'

/** `23000000`, `23000000.0`, `2.3e7` and all other notations of the grammar. */
const digits = fc.stringMatching(/^\d{1,12}$/)
const decimal = fc.oneof(
  digits,
  fc.tuple(digits, digits).map(([whole, fraction]) => `${whole}.${fraction}`),
  digits.map((whole) => `${whole}.`),
  digits.map((fraction) => `.${fraction}`),
)
const exponent = fc
  .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 200 }))
  .map(([e, sign, value]) => `${e}${sign}${value}`)
const notation = fc
  .tuple(fc.constantFrom('', '+'), decimal, fc.option(exponent, { nil: '' }))
  .map(([sign, number, power]) => `${sign}${number}${power}`)
const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/)

describe('readNumber', () => {
  test.each<[unknown, number]>([
    [23000000, 23000000],
    ['23000000', 23000000],
    ['23000000.0', 23000000],
    ['2.3e7', 23000000],
    ['2.3E+7', 23000000],
    ['1.5434643250766666E13', 15434643250766.666],
    ['0.0', 0],
    [0, 0],
    ['-0', 0],
    ['-0.0', 0],
    [-0, 0],
    ['5e-324', 5e-324],
    [' 7 ', 7],
    ['\n7\t', 7],
    ['007', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['9007199254740993', 9007199254740992],
    [1e302, 1e302],
  ])('%j is %d', (value, expected) => {
    expect(readNumber(value)).toBe(expected)
  })

  test.each([[undefined], [null], [''], ['  '], ['\t\n'], ['N/A'], [' N/A ']])('%j is absent', (value) => {
    expect(readNumber(value)).toBeUndefined()
  })

  const TEXTS = 'NaN Infinity -Infinity 0x1F 0b1 1_000 1,5 1e e5 . --1 many n/a ٣'.split(' ')
  test.each<[string, readonly unknown[]]>([
    ['text', [...TEXTS, '1 000', '12 %']],
    // A number may be finite, but not after the conversion to bytes.
    ['infinite', ['1e400', ...['1e400', '-1e400'].map((text) => JSON.parse(text))]],
    ['negative', [-1, '-1', '-2.5e-3']],
    ['shape', [true, [], [7], {}, { valueOf: 7 }]],
  ])('what is unreadable: %s', (rejection, values) => {
    for (const value of values) expect([value, readNumber(value)]).toMatchObject([value, { rejection }])
  })

  test('all documented notations are read as JavaScript reads them', () => {
    fc.assert(
      fc.property(blanks, notation, blanks, (before, text, after) => {
        const value = Number(text)
        const read = readNumber(`${before}${text}${after}`)
        if (Number.isFinite(value * 1e6)) expect(read).toBe(value)
        else expect(read).toMatchObject({ rejection: 'infinite' })
      }),
    )
  })

  test('quotes at most 64 characters of a value', () => {
    expect(readNumber('x'.repeat(10_000))).toMatchObject({ text: 'x'.repeat(64) })
  })
})
