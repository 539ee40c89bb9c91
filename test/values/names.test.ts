import { expect, test } from 'vitest'
import { boundedName } from '../../src/values/names.ts'

test('a name of at most 200 characters is kept', () => {
  const name = 'n'.repeat(200)
  expect(boundedName(name)).toBe(name)
})

test('the rest of a longer name is replaced by a fingerprint of the name', () => {
  const [one, other] = ['a', 'b'].map((end) => boundedName(`${'n'.repeat(200)}${end}`))
  expect(one).toMatch(/^n{200}…[0-9a-f]{32}$/)
  expect(other).toMatch(/^n{200}…[0-9a-f]{32}$/)
  expect(one).not.toBe(other)
})
