import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { oldestTime } from '../../../src/api/query/values/performance.ts'
import { createAging } from '../../../src/poller/query/aging.ts'
import type { SystemState } from '../../../src/state/state.ts'
import type { Change } from '../../../src/state/store.ts'
import { ANSWERS, answerOf, readingOf } from '../../api/query/query_files.ts'
import { systemWith } from '../../api/query/system_lines.ts'

import { configOf, onlySystem } from '../setup.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The aging of a reading that came at time 0; `use` receives the changes of the state, which stays as it is. */
function start(use: (change: Change) => void) {
  const reading = readingOf(ANSWERS.map(answerOf))
  const state = systemWith(reading)
  const failures: unknown[] = []
  const { poll } = onlySystem(configOf())
  const aging = createAging({
    system: { name: 'frankfurt', poll: { ...poll, staleAfterMs: 0 } },
    store: {
      system: () => state,
      update: async (_, change) => use(change),
    },
    pollLog: { internalError: (_, failure) => void failures.push(failure) },
  })
  const ageSeconds = (reading.stop ?? 0) - (oldestTime(reading) ?? 0)
  return { state, reading, failures, aging, leftMs: (reading.maxAgeSeconds - ageSeconds) * 1000 }
}

test('values are withdrawn when the oldest one is too old, then at most every 30 seconds', async () => {
  let times = 0
  const { aging, leftMs } = start(() => {
    times += 1
  })
  await vi.advanceTimersByTimeAsync(leftMs - 1000)
  expect(times).toBe(0)
  await vi.advanceTimersByTimeAsync(2000)
  expect(times).toBe(1)
  await vi.advanceTimersByTimeAsync(27_000)
  expect(times).toBe(1)
  await vi.advanceTimersByTimeAsync(3000)
  expect(times).toBe(2)
  aging.end()
  expect(vi.getTimerCount()).toBe(0)
})

test('a failure is an internal error', async () => {
  const { failures, leftMs } = start(() => {
    throw new Error('no exposition')
  })
  await vi.advanceTimersByTimeAsync(leftMs + 1000)
  expect(failures).toEqual([new Error('no exposition')])
})

test('only values that are too old when the state changes are withdrawn', async () => {
  const changes: Change[] = []
  const { state, reading, aging, failures } = start((change) => void changes.push(change))
  await vi.advanceTimersByTimeAsync(reading.maxAgeSeconds * 1000)
  aging.end()
  const readingAfter = (system: SystemState) => {
    const next = changes[0]?.(system) ?? system
    return next.performance?.reading
  }
  expect(readingAfter(state)?.nodes).not.toEqual(state.performance?.reading?.nodes)
  // A reading that came meanwhile stays.
  const renewed = { reading, receivedAtMs: performance.now(), failure: undefined }
  expect(readingAfter({ ...state, performance: renewed })?.nodes).toEqual(reading.nodes)
  expect(failures).toEqual([])
})
