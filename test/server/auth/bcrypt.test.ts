import { hashSync } from 'bcryptjs'
import { expect, test } from 'vitest'
import { bcryptCompare } from '../../../src/server/auth/basic_auth.ts'

const CHEAP = 4
const NEVER = new AbortController().signal
const LONG = 'a'.repeat(72)

test.each([
  ['the password', 'secret', 'secret', true],
  ['another password', 'secret', 'Secret', false],
  ['an empty password', '', '', true],
  ['Unicode characters', 'wörd ✓', 'wörd ✓', true],
  ['a difference after 72 bytes, which bcrypt ignores', `${LONG}b`, `${LONG}c`, true],
  ['a difference in the 72nd byte', `${LONG.slice(1)}b`, `${LONG.slice(1)}c`, false],
  ['a difference after a NUL', 'a\0b', 'a\0c', false],
  ['the text before a NUL', 'a\0b', 'a', false],
])('compares %s', async (_what, hashed, sent, isEqual) => {
  expect(await bcryptCompare(sent, hashSync(hashed, CHEAP), NEVER)).toBe(isEqual)
})

test('a comparison does not occupy the event loop', async () => {
  const comparison = { isRunning: true, turns: 0 }
  const count = () => {
    comparison.turns += 1
    if (comparison.isRunning) setImmediate(count)
  }
  setImmediate(count)
  await bcryptCompare('secret', hashSync('secret', 10), NEVER)
  comparison.isRunning = false
  // bcryptjs itself runs for 100 ms in each turn.
  expect(comparison.turns).toBeGreaterThan(100)
})

test('a thread that fails rejects the comparison', async () => {
  await expect(bcryptCompare('secret', undefined as unknown as string, NEVER)).rejects.toThrow(
    'Illegal arguments',
  )
})

test('a comparison that takes hours ends when its signal is aborted', async () => {
  const stop = new AbortController()
  const comparison = bcryptCompare('secret', hashSync('secret', CHEAP).replace('$04$', '$24$'), stop.signal)
  setTimeout(() => stop.abort(), 100)
  expect(await comparison).toBeUndefined()
})
