import fc from 'fast-check'
import { expect } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import { parseJson } from '../../src/api/parse/json.ts'
import { POOL_LISTS, type PoolRef } from '../../src/api/resources/pool_list.ts'
import { FORECAST, TRANSACTION_ERRORS } from '../../src/catalogue.ts'
import { newSystem, withRejected } from '../../src/state/state.ts'
import { MAX_ID_CHARACTERS } from '../../src/values/names.ts'
import { nodeLines } from '../api/feed/feed_files.ts'
import { mutatedJson, mutatedText } from './support/arbitraries.ts'
import { FEED_BODIES, POOL_BODIES } from './support/bodies.ts'
import { fuzz, readCorpus, resultOrError } from './support/fuzz.ts'

const PIECES = [...'{ } [ ] , : " e - . 9 null "id": "t":'.split(' '), ...['\\', '\\u0000']]

function inputsFrom(bodies: readonly string[], folder: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: mutatedJson(bodies) },
    { weight: 2, arbitrary: mutatedText([...bodies, ...readCorpus(folder)], PIECES) },
    { weight: 1, arbitrary: fc.json().map((value) => `{"_embedded":{"instances":[${value}]}}`) },
    { weight: 1, arbitrary: fc.json() },
  )
}

fuzz('the dashboard API', {
  corpus: 'feed',
  input: inputsFrom(FEED_BODIES, 'feed'),
  runs: 50,
  check: (text) => {
    const reading = resultOrError(() => decodeFeed(parseJson(text)), ApiError)
    if (reading instanceof ApiError) expect(['syntax', 'schema', 'html']).toContain(reading.reason)
    else {
      checkReading(reading)
      const series = nodeLines(reading).map((line) => line.slice(0, line.lastIndexOf(' ')))
      expect(series).toEqual([...new Set(series)])
    }
  },
})

const MAX_REJECTED_CHARACTERS = 64

function checkReading({ nodes, coverage, rejected }: FeedReading): void {
  const ids = nodes.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
  for (const { served, absent, unreadable } of coverage.values()) {
    expect(served + absent + unreadable).toBe(nodes.length)
  }
  for (const node of nodes) {
    const numbers = [
      ...Object.values(node.disks),
      ...[...node.values].flatMap(([, { t, value }]) => [t, value]),
    ]
    const forecasts = node.forecasts.flatMap(({ days }) => days ?? [])
    const types = node.errors?.types ?? []
    const counts = types.flatMap(({ count, rate }) => [count ?? 0, rate?.t ?? 0, rate?.value ?? 0])
    for (const number of [...numbers, ...forecasts, ...counts]) {
      expect(Number.isFinite(number) && number >= 0 && !Object.is(number, -0)).toBe(true)
    }
    expect(types.length).toBeLessThanOrEqual(TRANSACTION_ERRORS.maxExported)
    expect(node.forecasts.length).toBeLessThanOrEqual(FORECAST.maxEntries)
  }
  for (const { node, text, times } of rejected) {
    expect(Math.max(node.length, text.length)).toBeLessThanOrEqual(MAX_REJECTED_CHARACTERS)
    expect(times).toBeGreaterThan(0)
  }
  const system = newSystem('a')
  const { byReason } = system.rejections
  expect(withRejected(system, rejected).rejections.byReason.size).toBe(byReason.size)
}

fuzz('the lists of pools', {
  corpus: 'pools',
  input: inputsFrom(POOL_BODIES, 'pools'),
  runs: 50,
  check: (text) => {
    for (const { decode } of POOL_LISTS) {
      const pools = resultOrError(
        () => decode(parseJson(text), { baseUrl: 'https://host:4443/api', now: 0 }).pools,
        ApiError,
      )
      if (pools instanceof ApiError) expect(['syntax', 'schema', 'html', 'too_large']).toContain(pools.reason)
      else checkPools(pools)
    }
  },
})

function checkPools(pools: readonly PoolRef[]): void {
  expect(new Set(pools.map(({ id }) => id)).size).toBe(pools.length)
  for (const { id, name } of pools) {
    expect(id.length).toBeLessThanOrEqual(MAX_ID_CHARACTERS)
    expect(id.length).toBeGreaterThan(0)
    expect(`${id}${name ?? ''}`.isWellFormed()).toBe(true)
  }
}
