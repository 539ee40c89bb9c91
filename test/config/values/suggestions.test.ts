import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/config/values/problems.ts'
import { suggestion } from '../../../src/config/values/suggestions.ts'

const NAMES = ['base_url', 'pools', 'schedule']

test.each([
  ['baseURL', 'base_url'],
  ['base-url', 'base_url'],
  ['pool', 'pools'],
  ['shedule', 'schedule'],
  ['sched', 'schedule'],
  ['timeout', undefined],
  ['', undefined],
])('for %j the name %j is suggested', (word, name) => {
  expect(suggestion(word, NAMES)).toBe(name)
})

test('a word of at most 64 letters has a suggestion', () => {
  const names = ['x'.repeat(63)]
  expect(suggestion('x'.repeat(64), names)).toBe(names[0])
  expect(suggestion('x'.repeat(65), names)).toBeUndefined()
})

test('the failure of a configuration has a name, and a summary of the first ten problems', () => {
  const problems = Array.from({ length: 12 }, (_, index) => ({ path: `key${index}`, message: 'is unknown' }))
  const failure = new ConfigError('sds.yml', problems)
  expect(failure.name).toBe('ConfigError')
  expect(failure.summary()).toContain('key9')
  expect(failure.summary()).not.toContain('key10')
  expect(failure.message).toContain('key11')
})
