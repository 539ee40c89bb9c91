import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkJsonBounds } from '../../../src/api/parse/json.ts'

/** Checks with a limit of so many values. */
function check(text: string, maxValues: number): void {
  checkJsonBounds(Buffer.from(text), maxValues * 32)
}

describe('the number of values is limited', () => {
  test.each<[string, string, number]>([
    ['no value', '', 0],
    ['a number', '1', 0],
    ['a list', '[1,2,3]', 3],
    ['an object', '{"a":1,"b":2}', 4],
    ['nested', '[{"a":[]},{}]', 6],
    ['separators in a string', '["{[,:"]', 1],
    ['an escaped quote', String.raw`["\"",1,2]`, 3],
    ['an escaped backslash before the quote', String.raw`["\\",1,2]`, 3],
    ['a string that does not end', '["a,,,,', 1],
    ['characters of several bytes', '["ä€😀",1]', 2],
    ['a byte order mark', '\ufeff[1,2]', 2],
  ])('%s', (_, text, values) => {
    expect(() => check(text, values)).not.toThrow()
    const message = expect.stringContaining('limits.max_response_bytes')
    const refused = expect.objectContaining({ reason: 'too_large', message })
    if (values > 0) expect(() => check(text, values - 1)).toThrow(refused)
  })

  test('markup is not counted', () => {
    expect(() => check('\ufeff \n<p>{[,:</p>', 0)).not.toThrow()
  })

  test('every value of any JSON is counted', () => {
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, part) => sum + countOf(part), 1)
        : 1
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const values = countOf(JSON.parse(text))
        // A value has up to three marks: its own bracket, a colon and a comma. The first of a list may have none.
        if (values > 4) expect(() => check(text, Math.floor(values / 2) - 1)).toThrow()
        expect(() => check(text, values * 3)).not.toThrow()
      }),
    )
  })
})

describe('the number of sequences of names is limited', () => {
  const refused = expect.objectContaining({ reason: 'too_large', message: expect.stringContaining('names') })
  const objects = (count: number, textOf: (index: number) => string) =>
    `[${Array.from({ length: count }, (_, index) => textOf(index))}]`

  test('objects with the same names in the same order are one sequence', () => {
    const text = objects(50_000, (index) => `{"a":{"b":${index},"c":[{"b":1,"d":1}]},"c":"x"}`)
    expect(() => check(text, 1_000_000)).not.toThrow()
  })

  test('many names', () => {
    const named = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`)}}`
    expect(() => check(named(20_000), 1_000_000)).not.toThrow()
    // Some of the hashes may be equal.
    expect(() => check(named(20_010), 1_000_000)).toThrow(refused)
  })

  test('few names in many orders', () => {
    const text = objects(3_000, (index) => {
      const bits = Array.from({ length: 12 }, (_, bit) => `"${bit * 2 + ((index >> bit) & 1)}":1`)
      return `{${bits}}`
    })
    expect(() => check(text, 1_000_000)).not.toThrow()
    const longer = objects(30_000, (index) => {
      const bits = Array.from({ length: 16 }, (_, bit) => `"${bit * 2 + ((index >> bit) & 1)}" :1`)
      return `{${bits}}`
    })
    expect(() => check(longer, 10_000_000)).toThrow(refused)
  })
})

describe('the number of levels is limited', () => {
  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('%s', (_, open, close) => {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
    expect(() => check(nested(32), 1000)).not.toThrow()
    expect(() => check(`[${nested(31)},${nested(31)}]`, 1000)).not.toThrow()
    expect(() => check(nested(33), 1000)).toThrow(expect.objectContaining({ reason: 'too_large' }))
  })
})
