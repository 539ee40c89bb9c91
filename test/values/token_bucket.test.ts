import { expect, test } from 'vitest'
import { BoundedMap } from '../../src/values/cache.ts'
import { createTokenBucket, createTokenBuckets } from '../../src/values/token_bucket.ts'

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

test('a bucket tells when it has a token again', () => {
  let nowMs = 0
  const bucket = createTokenBucket({ burst: 2, intervalMs: 100 }, () => nowMs)
  expect([bucket.waitMs(), bucket.isEmpty()]).toEqual([0, false])
  bucket.take()
  expect([bucket.waitMs(), bucket.isEmpty()]).toEqual([0, false])
  bucket.take()
  expect([bucket.waitMs(), bucket.isEmpty()]).toEqual([100, true])
  nowMs = 30
  expect(bucket.waitMs()).toBe(70)
})

test('a token that is given back can be taken again, but adds none to a full bucket', () => {
  const bucket = createTokenBucket({ burst: 2, intervalMs: 100 }, () => 0)
  bucket.giveBack()
  expect([1, 2, 3].map(() => bucket.take())).toEqual([true, true, false])
  bucket.giveBack()
  expect([1, 2].map(() => bucket.take())).toEqual([true, false])
})

test('there is a bucket for each key, and a new one for a key that was removed', () => {
  const buckets = createTokenBuckets({ burst: 1, intervalMs: 100 }, 2, () => 0)
  expect(['a', 'a', 'b', 'a', 'c', 'a', 'b'].map((key) => buckets(key).take())).toEqual([
    ...[true, false, true, false],
    ...[true, false, true],
  ])
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
