import { expect, test } from 'vitest'
import { corpusOf, endsWithin, readCorpus, resultOrError } from './support/fuzz.ts'

test('a check without an end is ended', () => {
  const endless = () => {
    for (let turn = 0; ; turn += 1) if (turn < 0) return
  }
  expect(() => endsWithin(10, endless)).toThrow('the check did not end within 10 ms')
  expect(() => endsWithin(10_000, () => /^(a+)+$/.test('a'.repeat(10)))).not.toThrow()
})

test('only the documented error is a result', () => {
  const failing = (failure: Error) => () => {
    throw failure
  }
  expect(resultOrError(() => 7, RangeError)).toBe(7)
  expect(resultOrError(failing(new RangeError('a')), RangeError)).toBeInstanceOf(RangeError)
  expect(() => resultOrError(failing(new TypeError('b')), RangeError)).toThrow(TypeError)
})

test('the corpus is read byte by byte', () => {
  expect(corpusOf('schedules')).toContain('schedules/range_of_seven_digits.txt')
  expect(readCorpus('quantities')).toContain('33333333333330s')
})
