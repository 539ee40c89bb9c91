import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { ApiError, asApiError } from '../../../src/api/errors/errors.ts'
import { REASONS, type Reason } from '../../../src/api/errors/reasons.ts'
import { pause, withDeadline } from '../../../src/api/http/deadline.ts'
import { exchangeFailure } from '../../../src/api/http/failures.ts'
import { createEndpoints } from '../../../src/api/request/endpoints.ts'

const NEXT_NODE: readonly Reason[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'redirect',
  'unavailable',
  'html',
]
const TIME = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY }

/** Three nodes whose failures the test decides; gives those that were asked, in order. */
function plant() {
  let now = 0
  const failures = new Map<string, unknown>()
  const endpoints = createEndpoints(['https://a:4443', 'https://b', 'https://c'], () => now)
  return {
    endpoints,
    failures,
    pass: (ms: number) => {
      now += ms
    },
    async ask(): Promise<string[]> {
      const asked: string[] = []
      await endpoints
        .attempt(async (baseUrl) => {
          const { hostname } = new URL(baseUrl)
          asked.push(hostname)
          if (failures.has(hostname)) throw failures.get(hostname)
        }, TIME)
        .catch((failure: unknown) =>
          asked.push(failure instanceof ApiError ? failure.reason : String(failure)),
        )
      return asked
    },
  }
}

describe('endpoints', () => {
  test('the first answers as long as it can', async () => {
    const { ask } = plant()
    expect(await ask()).toEqual(['a'])
    expect(await ask()).toEqual(['a'])
  })

  test.each(Object.keys(REASONS) as Reason[])('%s of one node', async (reason) => {
    const { ask, failures } = plant()
    failures.set('a', new ApiError(reason, 'bad'))
    expect(await ask()).toEqual(NEXT_NODE.includes(reason) ? ['a', 'b'] : ['a', reason])
  })

  test('a dead node is left alone for a while, then tried again', async () => {
    const { ask, failures, pass } = plant()
    failures.set('a', new ApiError('connect', 'bad'))
    expect(await ask()).toEqual(['a', 'b'])
    pass(59_000)
    expect(await ask()).toEqual(['b'])
    pass(2000)
    expect(await ask()).toEqual(['a', 'b'])
    // Twice as long after the second failure, and no longer once it answered.
    pass(119_000)
    expect(await ask()).toEqual(['b'])
    failures.clear()
    pass(2000)
    expect(await ask()).toEqual(['a'])
    failures.set('a', new ApiError('connect', 'bad'))
    expect(await ask()).toEqual(['a', 'b'])
    pass(61_000)
    expect(await ask()).toEqual(['a', 'b'])
  })

  test('a node that hangs gets its share of the time, and the next one the rest', async () => {
    const endpoints = createEndpoints(['https://hung', 'https://good'])
    const shares: string[] = []
    const send = async (baseUrl: string, signal: AbortSignal) => {
      shares.push(baseUrl)
      if (baseUrl === 'https://good') return 'answer'
      await once(signal, 'abort')
      throw exchangeFailure(signal.reason)
    }
    const time = { signal: new AbortController().signal, deadline: performance.now() + 200 }
    expect(await endpoints.attempt(send, time)).toBe('answer')
    expect(shares).toEqual(['https://hung', 'https://good'])
  })

  test('after three nodes that hang no other is asked: it is not the node', async () => {
    const urls = Array.from({ length: 12 }, (_, index) => `https://n${index}`)
    const deadline = performance.now() + 200
    const asked: string[] = []
    const send = async (baseUrl: string, signal: AbortSignal) => {
      asked.push(baseUrl)
      if (baseUrl === 'https://n1') throw new ApiError('connect', 'bad')
      await once(signal, 'abort')
      throw exchangeFailure(signal.reason)
    }
    const outcome = withDeadline(new AbortController().signal, 200, (signal) =>
      createEndpoints(urls).attempt(send, { signal, deadline }),
    )
    await expect(outcome).rejects.toMatchObject({ reason: 'timeout', node: 'n3' })
    expect(asked).toEqual(['https://n0', 'https://n1', 'https://n2', 'https://n3'])
  })

  test('what runs out of a share of the time is a timeout, whatever it waited for', async () => {
    const endpoints = createEndpoints(['https://slow', 'https://good'])
    const time = { signal: new AbortController().signal, deadline: performance.now() + 100 }
    const send = (baseUrl: string, signal: AbortSignal) =>
      baseUrl === 'https://good' ? Promise.resolve('answer') : pause(60_000, signal)
    expect(await endpoints.attempt<unknown>(send, time)).toBe('answer')
  })

  test('a refusal is asked for again at the node that refused; where one kept silent, at all', async () => {
    const { endpoints, failures } = plant()
    const attempt = async (after?: unknown) => {
      const asked: string[] = []
      const send = async (baseUrl: string) => {
        const { hostname } = new URL(baseUrl)
        asked.push(hostname)
        throw failures.get(hostname)
      }
      const failure: unknown = await endpoints
        .attempt(send, { ...TIME, after })
        .catch((thrown: unknown) => thrown)
      return { asked, failure }
    }
    const busy = () => new ApiError('unavailable', 'bad', { status: 503 })
    for (const name of ['a', 'b', 'c']) failures.set(name, busy())
    const all = await attempt()
    expect(all.asked).toEqual(['a', 'b', 'c'])
    expect((await attempt(all.failure)).asked).toEqual(['a'])
    failures.set('b', new ApiError('reset', 'bad'))
    const some = await attempt()
    // Whoever answered says more, and the one that did not may answer now.
    expect(some.failure).toMatchObject({ reason: 'unavailable' })
    expect((await attempt(some.failure)).asked).toEqual(['a', 'b', 'c'])
  })

  test('of addresses that differ in the path, the one that refused is asked again', async () => {
    const endpoints = createEndpoints(['https://proxy/n1', 'https://proxy/n2'])
    const asked: string[] = []
    const send = async (baseUrl: string) => {
      asked.push(baseUrl)
      throw new ApiError('server_error', 'bad', { status: baseUrl.endsWith('1') ? 502 : 500 })
    }
    const failure: unknown = await endpoints.attempt(send, TIME).catch((thrown: unknown) => thrown)
    await endpoints.attempt(send, { ...TIME, after: failure }).catch(() => undefined)
    expect(asked).toEqual(['https://proxy/n1', 'https://proxy/n2', 'https://proxy/n2'])
  })

  test('a refusal that no node would change is not asked for elsewhere', async () => {
    const { ask, failures } = plant()
    const body = { code: 1, description: undefined, details: undefined, retryable: false }
    failures.set('a', new ApiError('unavailable', 'bad', { status: 503, body }))
    expect(await ask()).toEqual(['a', 'unavailable'])
    failures.set('a', new ApiError('server_error', 'bad', { status: 500 }))
    expect(await ask()).toEqual(['a', 'server_error'])
    failures.set('a', new ApiError('server_error', 'bad', { status: 502 }))
    expect(await ask()).toEqual(['a', 'b'])
  })

  test('when all are dead, all are tried, and the last failure is told', async () => {
    const { ask, failures } = plant()
    failures.set('a', new ApiError('connect', 'bad'))
    failures.set('b', new ApiError('reset', 'bad'))
    failures.set('c', new ApiError('dns', 'bad'))
    expect(await ask()).toEqual(['a', 'b', 'c', 'dns'])
    expect(await ask()).toEqual(['a', 'b', 'c', 'dns'])
    failures.delete('b')
    expect(await ask()).toEqual(['a', 'b'])
    expect(await ask()).toEqual(['b'])
  })

  test('the failure names the node, where there are several and one of them failed', async () => {
    const place = { system: 's', operation: 'nodes', path: '/dashboard' }
    const messageOf = async (baseUrls: readonly string[], failure: ApiError) => {
      const tried = createEndpoints(baseUrls).attempt(() => Promise.reject(failure), TIME)
      return tried.catch((thrown: unknown) => asApiError(thrown, place).message)
    }
    const refused = new ApiError('connect', 'connection refused')
    const several = ['https://a:4443', 'https://b:4443/api']
    expect(await messageOf(several, refused)).toBe('system s, nodes (b:4443/dashboard): connection refused')
    expect(await messageOf(['https://a:4443'], refused)).toBe(
      'system s, nodes (/dashboard): connection refused',
    )
    const missing = new ApiError('not_found', 'no such pool', { status: 404 })
    expect(await messageOf(several, missing)).toBe('system s, nodes (a:4443/dashboard): no such pool')
    const waiting = new ApiError('auth', 'the next login is tried in 30 s')
    expect(await messageOf(several, waiting)).toBe(
      'system s, nodes (/dashboard): the next login is tried in 30 s',
    )
  })

  test('what is no failure of the system ends it', async () => {
    const { ask, failures } = plant()
    failures.set('a', new TypeError('a bug'))
    expect(await ask()).toEqual(['a', 'TypeError: a bug'])
  })
})
