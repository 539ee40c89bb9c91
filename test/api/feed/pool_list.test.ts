import { expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { createPoolList, type PoolList } from '../../../src/api/feed/pool_list.ts'
import { POOL_LISTS, type PoolRef } from '../../../src/api/feed/pools.ts'
import { never } from '../http/answers.ts'

const [FIRST, SECOND] = POOL_LISTS
const POOLS: readonly PoolRef[] = [{ id: 'p1', name: 'one' }]

/** A system with what becomes of each of its two lists, which a test may change. */
function plant(first: Reason | 'ok', second: Reason | 'ok') {
  const outcomes = new Map<PoolList, Reason | 'ok'>([
    [FIRST, first],
    [SECOND, second],
  ])
  const asked: string[] = []
  const pools = createPoolList(async (list) => {
    asked.push(list === FIRST ? 'first' : 'second')
    const outcome = outcomes.get(list) ?? 'ok'
    if (outcome !== 'ok') throw new ApiError(outcome, list.path)
    return POOLS
  })
  return { outcomes, asked, pools: () => pools(never()) }
}

test.each<Reason>(['not_found', 'client_error', 'schema'])(
  'where the first list is %s the second one counts, and stays the one that is asked',
  async (reason) => {
    const { pools, asked, outcomes } = plant(reason, 'ok')
    expect(await pools()).toBe(POOLS)
    outcomes.set(SECOND, 'unavailable')
    await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
    expect(asked).toEqual(['first', 'second', 'second'])
  },
)

test('a list that was good once is not doubted before it is away for the second time in a row', async () => {
  const { pools, asked, outcomes } = plant('ok', 'ok')
  await pools()
  for (const outcome of ['not_found', 'timeout', 'not_found'] as const) {
    outcomes.set(FIRST, outcome)
    await expect(pools()).rejects.toMatchObject({ reason: outcome })
  }
  expect(asked).toEqual(['first', 'first', 'first', 'first'])
  expect(await pools()).toBe(POOLS)
  expect(asked.slice(4)).toEqual(['first', 'second'])
  await pools()
  expect(asked.slice(6)).toEqual(['second'])
  // And back, though not at once.
  outcomes.set(FIRST, 'ok')
  outcomes.set(SECOND, 'not_found')
  await expect(pools()).rejects.toMatchObject({ reason: 'not_found' })
  expect(await pools()).toBe(POOLS)
  expect(asked.at(-1)).toBe('first')
})

test('a failure that is not about the list asks for no other', async () => {
  const { pools, asked } = plant('unavailable', 'ok')
  await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
  expect(asked).toEqual(['first'])
})

test.each<[Reason, Reason, Reason]>([
  ['not_found', 'forbidden', 'forbidden'],
  ['schema', 'not_found', 'schema'],
])('of two failures (%s, %s) the one that says more is told', async (first, second, told) => {
  await expect(plant(first, second).pools()).rejects.toMatchObject({ reason: told })
})
