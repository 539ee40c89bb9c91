import { expect } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { decodeAnswer } from '../../../src/api/query/answers/answer.ts'
import type { SendQuery } from '../../../src/api/query/requests/plan.ts'
import { queryText, requiredTags } from '../../../src/api/query/requests/queries.ts'
import type { ResourceObject } from '../../../src/api/resources/objects.ts'
import { createResourceReader } from '../../../src/api/resources/reader.ts'
import type { ResourceReading } from '../../../src/api/resources/reading.ts'
import { isNotAvailable } from '../../../src/api/resources/refusals.ts'
import type { ResourceRequest, SendResource } from '../../../src/api/resources/requests.ts'
import { createPart } from '../../../src/metrics/lines.ts'
import { addResource } from '../../../src/state/resources.ts'
import { kindsOf, OBJECT_KINDS, type ResourceName } from '../../../src/system_catalogue.ts'
import { partText } from '../../metrics/exposition_text.ts'
import { configOf, onlySystem } from '../../readings/setup.ts'
import type { Bodies } from './bodies.ts'

/** What is read of a system without sections of its own. */
const RESOURCE_DEFAULTS = onlySystem(configOf('resources: {}')).resources
export const NOW = 1_785_312_700
const never = new AbortController().signal

/** As the keys of {@link Bodies}. */
export function keyOf({ path, query = '', body }: ResourceRequest): string {
  const parts = query.split('&').filter((part) => part !== '' && !/^(limit)=/.test(part))
  return `${path}${parts.length === 0 ? '' : `?${parts.join('&')}`}${body === undefined ? '' : ` ${body}`}`
}

/** Answers queries with these bodies, whose keys are the names of the queries. */
function querySender(answers: Readonly<Record<string, StubResponse>>, requests: string[]): SendQuery {
  return async (query, dialect) => {
    requests.push(query.name)
    const answer = answers[query.name] ?? new ApiError('not_found', 'no Flux API', { status: 404 })
    if (answer instanceof Error) throw answer
    expect(queryText(query, dialect)).toContain('last()')
    return decodeAnswer(answer, { name: query.name, tags: requiredTags(query), isOfSystem: true })
  }
}

type StubResponse = unknown | ((request: ResourceRequest) => unknown)

/** Answers requests with these bodies: an error is thrown, a missing one is not found. */
export function sender(answers: Readonly<Record<string, StubResponse>>) {
  const requests: string[] = []
  const send: SendResource = async (request, decode) => {
    const key = keyOf(request)
    requests.push(key)
    const answer = answers[key] ?? new ApiError('not_found', 'no such path', { status: 404 })
    const body = typeof answer === 'function' ? answer(request) : answer
    if (body instanceof Error) throw body
    return decode(JSON.parse(JSON.stringify(body)), { baseUrl: 'http://a', now: NOW })
  }
  return { requests, send }
}

interface SetUp {
  readonly max?: number
  readonly top?: number
  readonly include?: string
  readonly exclude?: string
  /** Names of the namespaces that are exported. */
  readonly exported?: readonly string[]
  /** Sends requests of resources to a system, instead of answering them with the bodies. */
  readonly send?: SendResource
}

const namespaceOf = (name: string): ResourceObject => {
  return { kind: OBJECT_KINDS.namespace, labels: [name], id: undefined, details: {}, values: [] }
}

/** A reader of all objects of a resource, with a clock that is set, and pauses that are recorded. */
export function setUp(
  answers: Bodies,
  { max = 500, top = 100, include = '', exclude = '', exported, send }: SetUp = {},
) {
  const namespaces = { schedule: '', include, exclude, max }
  const buckets = { schedule: '', include: '', exclude: '', max: top }
  const { requests, ...stub } = sender(answers)
  const pauses: number[] = []
  const clock = { ms: 0 }
  const reader = createResourceReader({
    resources: { ...RESOURCE_DEFAULTS, namespaces, buckets },
    send: send ?? stub.send,
    query: querySender(answers, requests),
    openDataPorts: () => ({
      read: (address, signal, decode) =>
        (send ?? stub.send)({ operation: 'data_nodes', path: `/${address}`, query: 'ping' }, decode, signal),
      close: async () => undefined,
    }),
    known: (kind) =>
      kind === 'namespace' && exported !== undefined ? { objects: exported.map(namespaceOf) } : undefined,
    pause: async (ms) => void pauses.push(ms),
    now: () => clock.ms,
  })
  async function read(name: ResourceName, spreadMs = 0) {
    const kinds = kindsOf(name)
    const outcomes = await Promise.allSettled(kinds.map((kind) => reader.read(kind, never, spreadMs)))
    const readings = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const failures = outcomes.flatMap((one): ApiError[] => (one.status === 'rejected' ? [one.reason] : []))
    const missing = failures.find((failure) => !isNotAvailable(failure)) ?? failures[0]
    const sum = (key: 'exportedObjects' | 'leftOut' | 'rejectedObjects') =>
      readings.reduce((total, reading) => total + reading[key], 0)
    if (readings.length === 0) throw missing
    return {
      objects: readings.flatMap(({ objects }) => objects),
      counts: new Map(readings.flatMap(({ counts }) => [...counts])),
      exportedObjects: sum('exportedObjects'),
      leftOut: sum('leftOut'),
      rejectedObjects: sum('rejectedObjects'),
      rejected: readings.flatMap(({ rejected }) => rejected),
      missing,
    }
  }
  return { read, requests, pauses, clock }
}

/** The sample lines of a reading, sorted. */
export function linesOf(reading: ResourceReading): string[] {
  return partText(createPart((add) => addResource(add, 'a', reading)))
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()
}
