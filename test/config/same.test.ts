import { expect, test } from 'vitest'
import { sameConfig } from '../../src/config/same.ts'
import { Secret } from '../../src/values/secret.ts'

test.each([
  [1, 1, true],
  [1, '1', false],
  [null, {}, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [{ a: { b: 1 } }, { a: { b: 1 } }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [new Secret('a'), new Secret('a'), true],
  [new Secret('a'), new Secret('b'), false],
  [new Secret('a'), 'a', false],
  [{}, new Secret('a'), false],
])('%o and %o are the same configuration: %s', (a, b, isSame) => {
  expect(sameConfig(a, b)).toBe(isSame)
})
