import { expect, test } from 'vitest'
import { BoundedMap } from '../../src/values/bounded_map.ts'
import { createTokenBucket } from '../../src/values/token_bucket.ts'

test('reserved tokens are an interval apart, and those of the past do not add up beyond the burst', () => {
  let nowMs = 0
  const bucket = createTokenBucket({ burst: 2, intervalMs: 100 }, () => nowMs)
  expect([1, 2, 3, 4].map(() => bucket.reserve())).toEqual([0, 0, 100, 200])
  expect(bucket.take()).toBe(false)
  nowMs = 250
  expect(bucket.reserve()).toBe(50)
  nowMs = 60_000
  expect([1, 2, 3].map(() => bucket.take())).toEqual([true, true, false])
})

test('a full map forgets the entry that was not used for the longest time', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2)
  map.get('a')
  map.set('c', 3)
  expect([...map]).toEqual([
    ['a', 1],
    ['c', 3],
  ])
})
