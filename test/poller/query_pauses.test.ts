import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { createPauses } from '../../src/poller/query_pauses.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Step = 'ok' | ApiError['reason']

/** After these outcomes, one right after the pause of the other: the pause in minutes. */
function pauseAfter(steps: readonly Step[]): number {
  let now = 0
  const pauses = createPauses(() => now)
  for (const step of steps) {
    now += pauses.remainingMs()
    if (step === 'ok') pauses.succeeded()
    else pauses.failed(new ApiError(step, 'bad'))
  }
  return pauses.remainingMs() / MINUTE
}

test.each<[string, readonly Step[], number]>([
  ['nothing', [], 0],
  ['a success', ['ok'], 0],
  ['two failures', ['not_found', 'not_found'], 0],
  ['three failures', ['not_found', 'unavailable', 'not_found'], 10],
  ['a role that is missing three times', ['forbidden', 'forbidden', 'forbidden'], 10],
  ['four failures', ['not_found', 'not_found', 'not_found', 'not_found'], 20],
  ['five failures', Array<Step>(5).fill('forbidden'), 40],
  ['six failures', Array<Step>(6).fill('unavailable'), 60],
  ['a thousand failures', Array<Step>(1000).fill('not_found'), 60],
  ['a success in between', ['not_found', 'not_found', 'ok', 'not_found', 'not_found'], 0],
  ['a failure of another kind in between', ['not_found', 'not_found', 'timeout', 'not_found'], 0],
  ['many failures of another kind', Array<Step>(9).fill('server_error'), 0],
])('the query interface is not asked for a time after %s', (_, steps, minutes) => {
  expect(pauseAfter(steps)).toBe(minutes)
})

test('each pause begins with its failure and ends after its time', () => {
  let now = 5 * HOUR
  const pauses = createPauses(() => now)
  for (let count = 0; count < 3; count += 1) pauses.failed(new ApiError('forbidden', 'bad'))
  now += 9 * MINUTE
  expect(pauses.remainingMs()).toBe(MINUTE)
  now += 2 * MINUTE
  expect(pauses.remainingMs()).toBe(0)
})
