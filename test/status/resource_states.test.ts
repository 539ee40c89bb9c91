import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeObject } from '../../src/api/resources/objects.ts'
import { createReadingBuilder } from '../../src/api/resources/reading.ts'
import { withPoll } from '../../src/state/changes.ts'
import { dropResource, withResource, withResourceFailure } from '../../src/state/resources.ts'
import type { SystemState } from '../../src/state/state.ts'
import { createStatusReader } from '../../src/status/status.ts'
import { OBJECT_KINDS } from '../../src/system_catalogue.ts'
import { configOf, onlySystem, T } from '../readings/setup.ts'
import { pollingOf, statusSources } from '../server/status/status_setup.ts'
import { failedPoll, polledSystem } from './systems.ts'

const SYSTEM = polledSystem('a', { p: [{ name: 'n1' }] })
const REFUSED = new ApiError('not_found', 'there is no such interface', { status: 404 })
const FAILED = new ApiError('server_error', 'HTTP status 500', { status: 500 })

/** A reading of one namespace. */
function namespaces(leftOut = 0) {
  const builder = createReadingBuilder(OBJECT_KINDS.namespace)
  const options = { now: T, rejected: builder.rejected }
  const found = decodeObject({ namespace: 'ns1' }, OBJECT_KINDS.namespace, options)
  builder.add(found === undefined ? [] : [found])
  builder.leaveOut(leftOut)
  return builder.reading()
}

const read = (reading = namespaces()) => withResource(SYSTEM, 'namespace', reading, T)

function statusOf(state: SystemState, resources = '{}', resource = 'namespaces') {
  const system = '{name: a, base_url: "https://ecs1.example.net:4443", auth: {token: t}}'
  const config = configOf(`resources: ${resources}`, system)
  const polling = (name: string) => pollingOf(name, { system: onlySystem(config) })
  const sources = { ...statusSources([state], { polling }), ready: () => true }
  const { systems, problems } = createStatusReader(sources)()
  const found = systems[0]?.resources.find(({ name }) => name === resource)
  return {
    ...{ state: found?.state, summary: found?.summary, objects: found?.objects, leftOut: found?.left_out },
    ...{ at: found?.last_success_timestamp_seconds, error: found?.error?.message },
    problems: problems.map(({ severity, alert, text }) => `${severity} ${alert}: ${text}`),
  }
}

const NOTHING = { objects: null, leftOut: null, at: null, error: undefined, problems: [] }
const READ = { objects: 1, leftOut: 0, at: T, error: undefined, problems: [] }
const SOME_LEFT_OUT = { leftOut: 5, state: 'ok', summary: '1 object, 5 left out' }
const UNAVAILABLE = { state: 'unavailable', summary: 'not available', error: REFUSED.detail }
const UNREAD = { state: 'failing', summary: 'could not be read', error: FAILED.detail }
const TOO_OLD = { state: 'failing', summary: 'not read for too long' }
const failed = (state: SystemState, failure: ApiError) =>
  withResourceFailure(state, 'namespace', failure, T + 60)
const FAILING = 'warning SdsResourceFailing: the usage of namespaces could not be read: HTTP status 500'

test.each<[string, SystemState, object]>([
  ['that was not read yet', SYSTEM, { ...NOTHING, state: 'pending', summary: 'not read yet' }],
  ['that was read', read(), { ...READ, state: 'ok', summary: '1 object' }],
  ['of which objects were left out', read(namespaces(5)), { ...READ, ...SOME_LEFT_OUT }],
  ['that the system does not have', failed(SYSTEM, REFUSED), { ...NOTHING, ...UNAVAILABLE }],
  ['that could not be read again', failed(read(), FAILED), { ...READ, ...UNREAD, problems: [FAILING] }],
  ['that was not read for too long', dropResource(read(), 'namespace'), { ...NOTHING, at: T, ...TOO_OLD }],
])('a resource %s', (_, state, expected) => {
  expect(statusOf(state)).toEqual(expected)
})

test('that a resource of an unreachable system could not be read is no problem of its own', () => {
  const refused = new ApiError('connect', 'connection refused')
  const unreachable = { ...withPoll(read(), 'urn:p:', failedPoll(T + 60)), up: false }
  const { state, problems } = statusOf(withResourceFailure(unreachable, 'namespace', refused, T + 60))
  expect(state).toBe('failing')
  expect(problems).toEqual([
    'critical SdsSystemUnreachable: system a, nodes of pool urn:p: (/dashboard): connection refused',
  ])
})

test('a resource without a schedule is off', () => {
  expect(statusOf(SYSTEM, '{namespaces: {schedule: ""}}')).toEqual({
    ...NOTHING,
    ...{ state: 'off', summary: 'not read (the schedule is empty)' },
  })
})

describe('a resource with several requests', () => {
  const REQUESTS = ['node', 'license'] as const
  const partOf = (failure: ApiError) => {
    const [nodes, license] = REQUESTS
    const state = withResource(SYSTEM, nodes, createReadingBuilder(OBJECT_KINDS.node).reading(), T)
    return statusOf(withResourceFailure(state, license, failure, T), '{}', 'inventory')
  }

  test('is partial when one is refused, which is no problem', () => {
    expect(partOf(REFUSED)).toMatchObject({ state: 'partial', error: REFUSED.detail, problems: [] })
  })

  test('is partial when one fails, which is a problem', () => {
    const problems = [expect.stringContaining('SdsResourceFailing')]
    expect(partOf(FAILED)).toMatchObject({ state: 'partial', error: FAILED.detail, problems })
  })
})
