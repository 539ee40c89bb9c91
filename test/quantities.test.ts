import { expect, test } from 'vitest'
import { countText } from '../src/quantities.ts'

test.each([
  [0, '0'],
  [0.04, '0'],
  [12.34, '12.3'],
  [950, '950'],
  [999.96, '1K'],
  [1234, '1.2K'],
  [5e6, '5M'],
  [2.5e9, '2.5B'],
  [1e16, '10000T'],
])('%d is written as %s', (count, text) => {
  expect(countText(count)).toBe(text)
})
