import { expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { POOL_LISTS, type PoolRef } from '../../../src/api/feed/pools.ts'
import { createPoolList } from '../../../src/api/resources/pool_list.ts'
import { never } from '../http/responses.ts'

const [FIRST, SECOND] = POOL_LISTS
const POOLS: readonly PoolRef[] = [{ id: 'p1', name: 'one' }]

/** A system with an outcome for each of its two lists. Tests may change the outcomes. */
function setup(first: Reason | 'ok', second: Reason | 'ok') {
  const outcomes = new Map<(typeof POOL_LISTS)[number], Reason | 'ok'>([
    [FIRST, first],
    [SECOND, second],
  ])
  const requested: string[] = []
  const pools = createPoolList(async (request) => {
    const list = POOL_LISTS.find(({ path }) => path === request.path) ?? FIRST
    requested.push(list === FIRST ? 'first' : 'second')
    const outcome = outcomes.get(list) ?? 'ok'
    if (outcome !== 'ok') throw new ApiError(outcome, list.path)
    return POOLS as never
  })
  return { outcomes, requested, pools: () => pools(never()) }
}

test.each<Reason>(['not_found', 'client_error', 'schema'])(
  'if the first list fails with %s, the second one is used, now and later',
  async (reason) => {
    const { pools, requested, outcomes } = setup(reason, 'ok')
    expect(await pools()).toBe(POOLS)
    outcomes.set(SECOND, 'unavailable')
    await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
    expect(requested).toEqual(['first', 'second', 'second'])
  },
)

test('after a success the other list is tried on the second 404 in a row', async () => {
  const { pools, requested, outcomes } = setup('ok', 'ok')
  await pools()
  for (const outcome of ['not_found', 'timeout', 'not_found'] as const) {
    outcomes.set(FIRST, outcome)
    await expect(pools()).rejects.toMatchObject({ reason: outcome })
  }
  expect(requested).toEqual(['first', 'first', 'first', 'first'])
  expect(await pools()).toBe(POOLS)
  expect(requested.slice(4)).toEqual(['first', 'second'])
  await pools()
  expect(requested.slice(6)).toEqual(['second'])
  // The same in the other direction.
  outcomes.set(FIRST, 'ok')
  outcomes.set(SECOND, 'not_found')
  await expect(pools()).rejects.toMatchObject({ reason: 'not_found' })
  expect(await pools()).toBe(POOLS)
  expect(requested.at(-1)).toBe('first')
})

test('another failure does not try the other list', async () => {
  const { pools, requested } = setup('unavailable', 'ok')
  await expect(pools()).rejects.toMatchObject({ reason: 'unavailable' })
  expect(requested).toEqual(['first'])
})

test.each<[Reason, Reason, Reason]>([
  ['not_found', 'forbidden', 'forbidden'],
  ['schema', 'not_found', 'schema'],
])('of two failures (%s, %s) the more specific one is reported', async (first, second, reported) => {
  await expect(setup(first, second).pools()).rejects.toMatchObject({ reason: reported })
})
