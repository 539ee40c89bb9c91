import { describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import type { Reason } from '../../src/api/errors/reasons.ts'
import type { SystemPoller } from '../../src/readings/system_poller.ts'
import { apiError, MINUTE, running, setUp, useFakeTime } from './running.ts'
import { type FakeClient, readingOf, shown } from './setup.ts'

useFakeTime()

/** A system with pool `p` that counts all requests; `isDown` makes the polls of the pool fail with the reason. */
function countingClient(reason?: Reason) {
  const state = { isDown: false }
  const nodes = vi.fn(async () => (state.isDown ? Promise.reject(apiError(reason)) : readingOf({ n1: 1 })))
  const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
  const pools = vi.fn(async () => [{ id: 'p', name: undefined }])
  const providers = vi.fn()
  const queries = vi.fn()
  const client: FakeClient = {
    nodes,
    forecasts,
    pools,
    resource: async ({ operation }, decode) => {
      if (operation === 'providers') providers()
      const body = operation === 'version' ? { node: [{ version: '4.3.0.0' }] } : { authnproviders: null }
      return decode(body, { baseUrl: 'http://a', now: 0 })
    },
    query: async ({ name }) => {
      if (name === 'query_cpu') queries()
      throw apiError('server_error')
    },
  }
  const others = { forecasts, pools, providers, queries }
  return {
    state,
    client,
    nodes,
    providers,
    /** Numbers of requests other than polls since the last call. */
    counts: () =>
      Object.fromEntries(
        Object.entries(others).map(([name, mock]) => {
          const count = mock.mock.calls.length
          mock.mockClear()
          return [name, count]
        }),
      ),
  }
}

async function probeOf(poller: SystemPoller, poolId?: string) {
  const probed = poller.probe(poolId, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(20)
  return probed
}

/** Everything but polls is due each minute, at different seconds. */
const EACH_MINUTE = `forecast: {schedule: "10 * * * * *", time_frames: [7d]}
providers: {schedule: "20 * * * * *"}
performance: {schedule: "40 * * * * *"}
discovery: {schedule: "50 * * * * *"}`
const NONE = { forecasts: 0, pools: 0, providers: 0, queries: 0 }
const ALL = { forecasts: 1, pools: 1, providers: 1, queries: 1 }

describe('what is due by a schedule', () => {
  const yaml = `poll: {max_random_delay: 0s}\n${EACH_MINUTE}`

  test('is requested with the first round, then at its time', async () => {
    const { client, counts } = countingClient()
    const { poller } = await setUp({ client, yaml })
    expect(counts()).toEqual(ALL)
    expect(poller.nextPollMs()).toBe(Date.UTC(2026, 0, 1, 12, 1))
    await vi.advanceTimersByTimeAsync(0.9 * MINUTE)
    expect(counts()).toEqual(ALL)
  })

  test.each<Reason>(['timeout', 'throttled', 'auth'])(
    'waits while polls fail with %s, and is requested with the next round that succeeds',
    async (reason) => {
      const { client, counts, state } = countingClient(reason)
      await setUp({ client, yaml })
      state.isDown = true
      await vi.advanceTimersByTimeAsync(MINUTE)
      counts()
      await vi.advanceTimersByTimeAsync(10 * MINUTE)
      // The list of pools is part of a round.
      expect(counts()).toEqual({ ...NONE, pools: 10 })
      state.isDown = false
      // To the first second of the next minute.
      await vi.advanceTimersByTimeAsync(0.55 * MINUTE)
      expect(counts()).toEqual({ ...ALL, pools: expect.any(Number) })
    },
  )

  test('is requested while the system answers, although it refuses each pool for a reason of its own', async () => {
    const { client, counts } = countingClient()
    const refusals = { p: 'not_found', q: 'forbidden', r: 'schema' } as const
    let isRefusing = false
    const nodes: SystemClient['nodes'] = async (pool) => {
      if (isRefusing) throw apiError(refusals[pool as keyof typeof refusals])
      return readingOf({ n1: 1 }, pool)
    }
    const resource = vi.fn(async () => Promise.reject(apiError()))
    const { up } = await setUp({
      client: { ...client, nodes, resource },
      yaml: `${yaml}\nresources: {system: {schedule: "30 * * * * *"}}`,
      pools: ['p', 'q', 'r'],
    })
    isRefusing = true
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(up()).toEqual({ p: 0, q: 0, r: 0 })
    counts()
    resource.mockClear()
    await vi.advanceTimersByTimeAsync(MINUTE)
    // The list of configured pools is a resource.
    expect(counts()).toEqual({ ...ALL, forecasts: 3, providers: 0 })
    for (const operation of ['system', 'providers']) {
      const request = expect.objectContaining({ operation })
      expect(resource).toHaveBeenCalledWith(request, expect.anything(), expect.anything())
    }
  })

  test('is requested although the poll of one pool does not end', async () => {
    const { client, counts } = countingClient()
    const nodes: SystemClient['nodes'] = (pool) =>
      pool === 'slow' ? new Promise(() => undefined) : Promise.resolve(readingOf({ n1: 1 }, pool))
    await setUp({ client: { ...client, nodes }, yaml: `poll: {max_random_delay: 0s}`, pools: ['slow', 'p'] })
    expect(counts()).toEqual({ ...NONE })
    await vi.advanceTimersByTimeAsync(MINUTE)
    // The first round waits for the slow pool, the second one leaves its poll out. Both pools have two forecasts.
    expect(counts()).toEqual({ ...ALL, pools: 0, forecasts: 4 })
    running.splice(0)
  })

  test('is requested although all polls are still under way', async () => {
    const { client, counts } = countingClient()
    const { poller } = await setUp({ client, yaml })
    client.nodes = () => new Promise<never>(() => undefined)
    expect(poller.nextPollMs()).toBeDefined()
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    counts()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(counts()).toEqual(ALL)
    running.splice(0)
  })
})

test('the list of providers is kept until its age limit while polls fail', async () => {
  const { client, state } = countingClient()
  const { store } = await setUp({ client, yaml: `poll: {max_random_delay: 0s}\n${EACH_MINUTE}` })
  const providers = () => shown(store, 'sds_authn_providers', 'system')
  state.isDown = true
  await vi.advanceTimersByTimeAsync(4.9 * MINUTE)
  expect(providers()).toEqual({ a: 0 })
  await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
  expect(providers()).toEqual({})
  state.isDown = false
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(providers()).toEqual({ a: 0 })
})

test('a failed probe of one pool does not delay what is due', async () => {
  const { client, counts } = countingClient()
  const nodes: SystemClient['nodes'] = async (pool) => {
    if (pool === 'bad') throw apiError('not_found')
    return readingOf({ n1: 1 }, pool)
  }
  const yaml = `poll: {max_random_delay: 0s}\n${EACH_MINUTE}`
  const { poller } = await setUp({ client: { ...client, nodes }, yaml, pools: ['p', 'bad'] })
  counts()
  const exposition = await probeOf(poller, 'bad')
  expect(exposition?.text('text')).toContain('sds_probe_success{system="a"} 0')
  // The schedule of the queries, but not that of polls.
  await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
  expect(counts()).toEqual({ ...NONE, queries: 1 })
})

describe('without a schedule of polls', () => {
  const yaml = `poll: {schedule: ""}\n${EACH_MINUTE}`

  test('everything that is due is requested with the next probe', async () => {
    const { client, counts, nodes } = countingClient()
    const { poller } = await setUp({ client, yaml })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect([counts(), nodes.mock.calls.length]).toEqual([NONE, 0])
    await probeOf(poller)
    expect([counts(), nodes.mock.calls.length]).toEqual([ALL, 1])
    await probeOf(poller)
    expect([counts(), nodes.mock.calls.length]).toEqual([NONE, 2])
    await vi.advanceTimersByTimeAsync(MINUTE)
    await probeOf(poller)
    expect([counts(), nodes.mock.calls.length]).toEqual([ALL, 3])
  })

  test('what is due is requested with a probe of one pool', async () => {
    const { client, counts } = countingClient()
    const { poller, store } = await setUp({ client, yaml, pools: ['p', 'q'] })
    await probeOf(poller, 'q')
    expect(counts()).toEqual({ ...ALL, pools: 0 })
    expect(store.system('a')?.tried).toBe(true)
  })

  test('a probe of a pool that does not exist requests nothing', async () => {
    const { client, counts, nodes } = countingClient()
    const { poller, store } = await setUp({ client, yaml, pools: ['p'] })
    expect(await probeOf(poller, 'x')).toBeUndefined()
    expect([counts(), nodes.mock.calls.length]).toEqual([NONE, 0])
    expect(store.system('a')?.tried).toBe(false)
  })
})

describe('a system', () => {
  test('is not tried before the first poll has ended', async () => {
    const first = Promise.withResolvers<never>()
    const { store } = await setUp({ client: { nodes: () => first.promise }, pools: ['p'] })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(store.system('a')?.tried).toBe(false)
    first.reject(apiError())
    await vi.advanceTimersByTimeAsync(20)
    expect(store.system('a')?.tried).toBe(true)
  })

  test('without pools is tried, and asked for its providers', async () => {
    const resource: SystemClient['resource'] = async (_, decode) =>
      decode({ authnproviders: null }, { baseUrl: 'http://a', now: 0 })
    const { store } = await setUp({ client: { pools: async () => [], resource }, yaml: '' })
    expect(store.system('a')?.tried).toBe(true)
    expect(shown(store, 'sds_authn_providers', 'system')).toEqual({ a: 0 })
  })
})
