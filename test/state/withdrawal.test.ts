import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWithdrawal } from '../../src/state/withdrawal.ts'

const SECOND = 1000
const WHOLE = 100 * SECOND

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A withdrawal after 100 seconds, and how often it has withdrawn. */
function create(staleAfterMs = WHOLE) {
  const withdraw = vi.fn(async () => undefined)
  return {
    withdrawal: createWithdrawal({ staleAfterMs, withdraw, failed: () => undefined }),
    times: () => withdraw.mock.calls.length,
  }
}

test('values are withdrawn once, when they were not renewed in time', () => {
  const { withdrawal, times } = create()
  vi.advanceTimersByTime(10 * WHOLE)
  expect(times()).toBe(0)
  withdrawal.after()
  vi.advanceTimersByTime(99 * SECOND)
  withdrawal.after()
  vi.advanceTimersByTime(99 * SECOND)
  expect(times()).toBe(0)
  vi.advanceTimersByTime(SECOND)
  expect(times()).toBe(1)
  vi.advanceTimersByTime(10 * WHOLE)
  expect(times()).toBe(1)
})

test.each([
  ['the rest of their time', 20 * SECOND, 20 * SECOND],
  ['the whole time at most', 20 * WHOLE, WHOLE],
])('values of an earlier poller are kept for %s', (_, ms, expectedMs) => {
  const { withdrawal, times } = create()
  withdrawal.after(ms)
  vi.advanceTimersByTime(expectedMs - 1)
  expect(times()).toBe(0)
  vi.advanceTimersByTime(2)
  expect(times()).toBe(1)
})

test('values of an earlier poller are withdrawn at once, if their time is over', () => {
  const { withdrawal, times } = create()
  withdrawal.after(-20 * SECOND)
  vi.advanceTimersByTime(1)
  expect(times()).toBe(1)
})

test('values of an earlier poller whose time is long over are withdrawn without a warning of Node.js', async () => {
  vi.useRealTimers()
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const { promise: withdrawn, resolve } = Promise.withResolvers<void>()
  createWithdrawal({
    staleAfterMs: SECOND,
    withdraw: async () => resolve(),
    failed: () => undefined,
    inherited: 1,
  })
  await withdrawn
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('values are kept for longer than a timer can run', () => {
  const days = 24 * 60 * 60 * SECOND
  const { withdrawal, times } = create(93 * days)
  withdrawal.after()
  vi.advanceTimersByTime(93 * days - 1)
  expect(times()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(times()).toBe(1)
})

test('nothing is withdrawn after the end', () => {
  const { withdrawal, times } = create()
  withdrawal.after()
  withdrawal.end()
  withdrawal.after()
  vi.advanceTimersByTime(10 * WHOLE)
  expect([times(), vi.getTimerCount()]).toEqual([0, 0])
})
