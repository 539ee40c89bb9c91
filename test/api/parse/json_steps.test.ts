import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSteps } from '../../../src/api/parse/json_steps.ts'
import { atOnce } from '../../../src/slices.ts'

/** The value, or that the text is refused. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch (failure) {
    expect(failure).toBeInstanceOf(SyntaxError)
    return 'refused'
  }
}

const TOKENS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"a"',
  '"__proto__":',
  '1',
  '-',
  ' ',
  '"',
  '\\',
  String.raw`"x,]\""`,
]
const tokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 24 }).map((list) => list.join(''))
const mutated = fc
  .tuple(fc.json({ maxDepth: 5 }), fc.nat(), fc.constantFrom('', ...TOKENS), fc.nat({ max: 3 }))
  .map(([text, place, token, length]) => {
    const index = place % (text.length + 1)
    return text.slice(0, index) + token + text.slice(index + length)
  })

describe('JSON that is parsed in pieces', () => {
  test.each([
    ['JSON', fc.json({ maxDepth: 6 })],
    ['JSON with an error', mutated],
    ['any tokens', tokens],
  ])('has the result of JSON.parse: %s', (_, texts) => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 12 }), (text, pieceCharacters) => {
        expect(outcomeOf(() => atOnce(parseSteps(text, pieceCharacters)))).toStrictEqual(
          outcomeOf(() => JSON.parse(text)),
        )
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['a list', `[${'{"a":[1,2,3]},'.repeat(100_000)}0]`],
    ['an object', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":{"a":1}`)}}`],
    ['a list in an object', `{"a":{"b":[${'"text",'.repeat(200_000)}0]}}`],
  ])('other tasks may run between the pieces of %s', (_, text) => {
    const steps = parseSteps(text)
    let pieces = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(JSON.parse(text))
        break
      }
      pieces += 1
    }
    expect(pieces).toBeGreaterThan(text.length / 400_000)
  })
})
