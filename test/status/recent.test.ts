import { describe, expect, test } from 'vitest'
import { withPoll, withPools } from '../../src/state/changes.ts'
import { newSystem } from '../../src/state/state.ts'
import { createRecent } from '../../src/status/recent.ts'
import { failedPoll, feedOf, goodPoll, polledSystem } from './systems.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

function setUp() {
  const clock = { ms: 1_000_000 }
  return { clock, recent: createRecent(() => clock.ms) }
}

const traffic = (tps: number) => ({ transactionReadTransactionsPerSecCurrent: [{ t: 1, TPS: tps }] })
const present = (values: readonly (number | undefined)[] | undefined) =>
  values?.filter((value) => value !== undefined)

describe('requests', () => {
  test('are counted for the last minute', () => {
    const { clock, recent } = setUp()
    recent.requested('a')
    clock.ms += 30 * SECOND
    recent.requested('a')
    recent.requested('a')
    expect(recent.requestsLastMinute('a')).toBe(3)
    clock.ms += 45 * SECOND
    expect(recent.requestsLastMinute('a')).toBe(2)
    clock.ms += MINUTE
    expect(recent.requestsLastMinute('a')).toBe(0)
    expect(present(recent.system('a')('requests'))).toEqual([1, 2])
  })

  test('of an hour ago are forgotten, and memory is constant', () => {
    const { clock, recent } = setUp()
    for (let minute = 0; minute < 200; minute += 1) {
      recent.requested('a')
      clock.ms += MINUTE
    }
    expect(recent.system('a')('requests')).toHaveLength(240)
    expect(present(recent.system('a')('requests'))).toHaveLength(59)
  })
})

describe('polls', () => {
  const first = polledSystem('a', { p: [{ name: 'n1', allocatedRatio: 0.4, more: traffic(7) }] })

  test('are noted once, with what was read', () => {
    const { clock, recent } = setUp()
    recent.changed(first)
    recent.changed({ ...first, up: false })
    const pool = recent.pool('a', 'urn:p:')
    expect(present(pool?.('polls_failed'))).toEqual([0])
    expect(present(pool?.('poll_seconds'))).toEqual([0.25])
    expect(present(pool?.('disk_space_allocated_ratio'))?.[0]).toBeCloseTo(0.4)
    expect(present(pool?.('transactions_per_second'))).toEqual([7])
    clock.ms += MINUTE
    recent.changed(withPoll(first, 'urn:p:', failedPoll(9)))
    expect(present(pool?.('polls_failed'))).toEqual([0, 1])
    expect(present(pool?.('transactions_per_second'))).toEqual([7])
    expect(present(recent.system('a')('polls_failed'))).toEqual([0, 1])
  })

  test('have the ratio of the nodes that serve both values', () => {
    const { recent } = setUp()
    const nodes = [
      { name: 'n1', allocatedRatio: 0.4 },
      { name: 'n2', more: { diskSpaceAllocatedCurrent: [] } },
      { name: 'n3', more: { diskSpaceTotalCurrent: [] } },
    ]
    recent.changed(polledSystem('a', { p: nodes }))
    const [ratio] = present(recent.pool('a', 'urn:p:')?.('disk_space_allocated_ratio')) ?? []
    expect(ratio).toBeCloseTo(0.4)
  })

  test('in one slot are added up, with the longest duration and the last values', () => {
    const { recent } = setUp()
    recent.changed(first)
    for (const at of [3, 4]) recent.changed(withPoll(first, 'urn:p:', failedPoll(at)))
    const feed = feedOf([{ name: 'n1', more: traffic(9) }])
    recent.changed(withPoll(first, 'urn:p:', { ...goodPoll(2), seconds: 3 }, feed))
    const pool = recent.pool('a', 'urn:p:')
    expect(present(pool?.('polls_failed'))).toEqual([2])
    expect(present(pool?.('poll_seconds'))).toEqual([3])
    expect(present(pool?.('transactions_per_second'))).toEqual([9])
  })

  test('of a system have the sums over the pools that were read', () => {
    const { recent } = setUp()
    const pools = ['urn:p:', 'urn:q:'].map((id) => ({ id, name: undefined }))
    const listed = withPools(newSystem('a'), pools)
    recent.changed(listed)
    expect(present(recent.system('a')('transactions_per_second'))).toEqual([])
    recent.changed(withPoll(listed, 'urn:p:', goodPoll(1), feedOf([{ name: 'n1', more: traffic(7) }])))
    expect(present(recent.system('a')('transactions_per_second'))).toEqual([7])
  })

  test('of pools and systems that left are forgotten', () => {
    const { recent } = setUp()
    recent.changed(polledSystem('a', { p: [{ name: 'n1' }], q: [{ name: 'n2' }] }))
    recent.changed(polledSystem('a', { q: [{ name: 'n2' }] }))
    expect(recent.pool('a', 'urn:p:')).toBeUndefined()
    expect(recent.pool('a', 'urn:q:')).toBeDefined()
    recent.kept(['b'])
    expect(recent.pool('a', 'urn:q:')).toBeUndefined()
    expect(present(recent.system('a')('polls_failed'))).toEqual([])
  })

  test('of more pools than are kept have no charts', () => {
    const { recent } = setUp()
    const pools = Array.from({ length: 600 }, (_, index) => ({ id: `urn:p${index}:`, name: undefined }))
    for (const name of ['a', 'b']) recent.changed(withPools(newSystem(name), pools))
    expect(recent.pool('a', 'urn:p599:')).toBeDefined()
    expect(recent.pool('b', 'urn:p399:')).toBeDefined()
    expect(recent.pool('b', 'urn:p400:')).toBeUndefined()
  })
})

test('charts begin with the program, and have at least five minutes and at most an hour', () => {
  const { clock, recent } = setUp()
  const length = () => recent.system('a')('requests').length
  expect(length()).toBe(20)
  clock.ms += 10 * MINUTE
  expect(length()).toBe(41)
  clock.ms += 2 * HOUR
  expect(length()).toBe(240)
})
