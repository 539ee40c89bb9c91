import { describe, expect, test } from 'vitest'
import { createEndpoints } from '../../src/api/endpoints.ts'
import { ApiError } from '../../src/api/errors.ts'
import { REASONS, type Reason } from '../../src/api/reasons.ts'

const NEXT_NODE: readonly Reason[] = ['connect', 'dns', 'tls', 'reset', 'unavailable']

/** Three nodes whose failures the test decides; gives those that were asked, in order. */
function plant() {
  let now = 0
  const failures = new Map<string, unknown>()
  const endpoints = createEndpoints(['a', 'b', 'c'], () => now)
  return {
    failures,
    pass: (ms: number) => {
      now += ms
    },
    async ask(): Promise<string[]> {
      const asked: string[] = []
      await endpoints
        .attempt(async (baseUrl) => {
          asked.push(baseUrl)
          if (failures.has(baseUrl)) throw failures.get(baseUrl)
        })
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
    failures.clear()
    pass(60_000)
    expect(await ask()).toEqual(['a'])
  })

  test('a node that used up the time is not the first one the next time', async () => {
    const { ask, failures } = plant()
    failures.set('a', new ApiError('timeout', 'bad'))
    expect(await ask()).toEqual(['a', 'timeout'])
    expect(await ask()).toEqual(['b'])
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

  test('what is no failure of the system ends it', async () => {
    const { ask, failures } = plant()
    failures.set('a', new TypeError('a bug'))
    expect(await ask()).toEqual(['a', 'TypeError: a bug'])
  })
})
