import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { createPauses } from '../../src/readings/queries.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Step = 'ok' | 'empty' | 502 | 503 | 504 | ApiError['reason']

function failureOf(step: Exclude<Step, 'ok' | 'empty'>): ApiError {
  return typeof step === 'string'
    ? new ApiError(step, 'bad')
    : new ApiError('unavailable', 'bad', { status: step })
}

/** After these outcomes, one right after the pause of the other: the pause in minutes. */
function pauseAfter(steps: readonly Step[]): number {
  let now = 0
  const pauses = createPauses(() => now)
  for (const step of steps) {
    now += pauses.remainingMs()
    if (step === 'ok' || step === 'empty') pauses.succeeded(step === 'ok')
    else pauses.failed(failureOf(step))
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
  ['503 six times', Array<Step>(6).fill(503), 60],
  ['503 six times since answers without rows', ['empty', ...Array<Step>(6).fill(503)], 60],
  ['502 six times since rows', ['ok', ...Array<Step>(6).fill(502)], 10],
  ['503 six times since rows and answers without', ['ok', 'empty', ...Array<Step>(6).fill(503)], 10],
  ['504 a thousand times since rows', ['ok', ...Array<Step>(1000).fill(504)], 10],
  ['a role that is missing six times since rows', ['ok', ...Array<Step>(6).fill('forbidden')], 60],
  ['a success in between', ['not_found', 'not_found', 'ok', 'not_found', 'not_found'], 0],
  ['a failure of another kind in between', ['not_found', 'not_found', 'timeout', 'not_found'], 0],
  ['many failures of another kind', Array<Step>(9).fill('server_error'), 0],
])('the Flux API is not asked for a time after %s', (_, steps, minutes) => {
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
