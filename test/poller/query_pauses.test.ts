import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { createPauses } from '../../src/poller/query_pauses.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Step = 'ok' | readonly [reason: ApiError['reason'], status: number]
const RESTART: Step = ['not_found', 503]
const BUSY: Step = ['unavailable', 503]
const OTHER: Step = ['server_error', 500]

/** After these outcomes, the pause in milliseconds: 0 for none. The system is asked again with the last run before its end. */
function pauseAfter(steps: readonly Step[]): number {
  let now = 0
  const pauses = createPauses(() => now)
  for (const step of steps) {
    now += 10 * DAY
    if (step === 'ok') pauses.succeeded()
    else pauses.failed(new ApiError(step[0], 'bad', { status: step[1] }))
  }
  const failedAt = now
  const isOverAfter = (ms: number) => {
    now = failedAt + ms
    return pauses.remainingMs() === 0
  }
  const lengths = [0, HOUR, DAY]
  const length = lengths.find(isOverAfter) ?? Number.POSITIVE_INFINITY
  // The pause ends little before its run, and not earlier.
  if (length > 0) expect(isOverAfter(length - 5 * MINUTE)).toBe(false)
  return length
}

test.each<[string, readonly Step[], number]>([
  ['nothing', [], 0],
  ['a success', ['ok'], 0],
  ['a failure', [OTHER], 0],
  ['a missing role', [['forbidden', 403]], HOUR],
  ['no path', [['not_found', 404]], DAY],
  ['no path that was there before', ['ok', ['not_found', 404]], DAY],
  ['no service from the start', [RESTART], HOUR],
  ['a service that restarts', ['ok', RESTART, RESTART], 0],
  ['a service that does not come back', ['ok', RESTART, RESTART, RESTART], HOUR],
  ['a service that is not available twice', [BUSY, BUSY], 0],
  ['a service that is not available three times', [BUSY, RESTART, BUSY], HOUR],
  ['a service that was available in between', [BUSY, BUSY, 'ok', BUSY, BUSY], 0],
  ['a service that failed otherwise in between', [BUSY, BUSY, OTHER, BUSY, BUSY], 0],
])('the query interface is not asked for a time after %s', (_, steps, expected) => {
  expect(pauseAfter(steps)).toBe(expected)
})

test('a first request is not paused, and each pause begins with its failure', () => {
  let now = 5 * DAY
  const pauses = createPauses(() => now)
  expect(pauses.remainingMs() === 0).toBe(true)
  pauses.failed(new ApiError('forbidden', 'bad'))
  expect(pauses.remainingMs() === 0).toBe(false)
  now += HOUR
  expect(pauses.remainingMs() === 0).toBe(true)
})
