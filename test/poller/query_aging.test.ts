import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAging } from '../../src/poller/query_aging.ts'
import type { SystemState } from '../../src/poller/state.ts'
import { ANSWERS, answerOf, readingOf } from '../api/query/query_files.ts'
import { systemWith } from '../api/query/system_lines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('lines are rendered before the change of the state, which takes little time', async () => {
  const state = systemWith(readingOf(ANSWERS.map(answerOf)))
  const changes: ((system: SystemState) => SystemState)[] = []
  const aging = createAging({
    system: 'frankfurt',
    board: {
      system: () => state,
      update: async (_, change) => void changes.push(change),
    },
    journal: { internalError: (_, failure) => expect(failure).toBeUndefined() },
    staleAfterMs: 0,
  })
  await vi.advanceTimersByTimeAsync(900_000)
  aging.end()
  const [change] = changes
  const partIn = (system: SystemState | undefined) => system?.pools.get('p1')?.feedPart
  expect(partIn(change?.(state))).not.toBe(partIn(state))
  expect(partIn(change?.(state))).toBe(partIn(change?.(state)))
  // A reading that came meanwhile stays.
  const renewed = systemWith(readingOf(ANSWERS.map(answerOf)))
  expect(change?.(renewed)).toBe(renewed)
})
