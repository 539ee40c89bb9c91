import { expect, test } from 'vitest'
import { decodeAccount } from '../../../src/api/providers/providers.ts'

test('nothing is read of a user of more than 65,536 characters', () => {
  const body = (length: number) => '{"common_name":"a"}'.padEnd(length)
  expect(decodeAccount(body(65_536)).user).toBe('a')
  expect(decodeAccount(body(65_537)).user).toBeUndefined()
})
