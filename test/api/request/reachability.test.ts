import { expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import type { Operation } from '../../../src/api/request/exchanges.ts'
import { createReachability } from '../../../src/api/request/reachability.ts'

function plant() {
  const told: boolean[] = []
  return { told, reachability: createReachability((answered) => told.push(answered)) }
}

test.each<[string, Operation, Reason, number | undefined, boolean[]]>([
  ['a refusal is an answer', 'nodes', 'forbidden', 403, [true]],
  ['so is one that cannot be read', 'nodes', 'syntax', undefined, [true]],
  ['and one to an extra', 'forecast', 'html', undefined, [true]],
  ['silence to a poll is silence', 'nodes', 'timeout', undefined, [false]],
  ['and to the list of pools', 'pools', 'connect', undefined, [false]],
  ['one slow extra is no dead system', 'forecast', 'timeout', undefined, []],
  ['a login that waits for its turn tells nothing', 'nodes', 'auth', undefined, []],
])('%s', (_, operation, reason, status, expected) => {
  const { told, reachability } = plant()
  const extras = status === undefined ? {} : { status }
  reachability.noteFailure(new ApiError(reason, 'bad', extras), operation, performance.now())
  expect(told).toEqual(expected)
})

test('a system that answered somebody else meanwhile is there', () => {
  const { told, reachability } = plant()
  const began = performance.now()
  reachability.noteAnswer()
  reachability.noteFailure(new ApiError('timeout', 'bad'), 'nodes', began)
  expect(told).toEqual([true])
  reachability.noteFailure(new ApiError('timeout', 'bad'), 'nodes', Number.POSITIVE_INFINITY)
  expect(told).toEqual([true, false])
})
