import { describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import type { ApiError } from '../../src/api/errors/errors.ts'
import type { FeedReading } from '../../src/api/feed/feed.ts'
import { createAttempts } from '../../src/api/http/exchanges.ts'
import { pause } from '../../src/api/http/waiting.ts'
import { createBreaker } from '../../src/api/request/breaker.ts'
import { createLimits, createOperate } from '../../src/api/request/operation.ts'
import type { PoolRef } from '../../src/api/resources/pool_list.ts'
import { bytesOf } from '../../src/state/changes.ts'
import { newSystem } from '../../src/state/state.ts'
import type { StateStore } from '../../src/state/store.ts'
import { responseOf } from '../api/http/responses.ts'
import {
  apiError,
  MINUTE,
  newStore,
  running,
  SECOND,
  setUp,
  useFakeTime,
  WITHOUT_PROVIDERS,
} from './running.ts'
import { configOf, type FakeClient, onlySystem, readingOf, shown } from './setup.ts'

useFakeTime()

describe('a system that lists other pools at every discovery', () => {
  const POOLS = 50
  const yaml = `${WITHOUT_PROVIDERS}, schedule: "0 * * * * *"}\ndiscovery: {schedule: "30 * * * * *"}`
  /** Other ids at every call, beginning with `p0x0`. */
  const otherPools = () => {
    let calls = 0
    return async (): Promise<PoolRef[]> => {
      calls += 1
      return Array.from({ length: POOLS }, (_, index) => ({ id: `p${calls}x${index}`, name: undefined }))
    }
  }

  test('leaves no requests of former pools behind', async () => {
    const open = { nodes: 0, forecasts: 0 }
    const untilAborted = (kind: keyof typeof open) => async (pool: string, signal: AbortSignal) => {
      open[kind] += 1
      await pause(60 * MINUTE, signal).finally(() => {
        open[kind] -= 1
      })
      return readingOf({ n1: 1 }, pool)
    }
    const nodes = async (pool: string, signal: AbortSignal) =>
      pool.endsWith('x0') ? readingOf({ n1: 1 }, pool) : untilAborted('nodes')(pool, signal)
    const forecasts = (pool: string, _: unknown, signal: AbortSignal) =>
      untilAborted('forecasts')(pool, signal)
    const { log } = await setUp({ client: { pools: otherPools(), nodes, forecasts }, yaml })
    await vi.advanceTimersByTimeAsync(20 * MINUTE + 10 * SECOND)
    expect(open.nodes).toBeLessThanOrEqual(POOLS)
    expect(open.forecasts).toBeLessThanOrEqual(POOLS)
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([])
  })
})

describe('polls', () => {
  test('start at once, and follow the schedule', async () => {
    const nodes = vi.fn(async () => readingOf({ n1: nodes.mock.calls.length }))
    const { free, poller } = await setUp({ client: { nodes }, pools: ['p'] })
    expect(free()).toEqual({ n1: 1 })
    expect(poller.nextPollMs()).toBe(Date.UTC(2026, 0, 1, 12, 1))
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(free()).toEqual({ n1: 4 })
  })

  test('have their time and duration', async () => {
    const nodes = async (_pool: string, signal: AbortSignal) => {
      await pause(2 * SECOND, signal)
      return readingOf({ n1: 1 })
    }
    const { store } = await setUp({ client: { nodes }, pools: ['p'] })
    await vi.advanceTimersByTimeAsync(3 * SECOND)
    // The exposition of an update has the ones before.
    await store.update('a', (state) => ({ ...state }))
    const value = (family: string) => shown(store, family, 'pool_id')['p']
    const endedAt = Date.UTC(2026, 0, 1, 12, 0, 32) / SECOND
    expect(value('sds_pool_last_success_timestamp_seconds')).toBeCloseTo(endedAt, 0)
    expect(value('sds_pool_poll_duration_seconds')).toBeCloseTo(2, 1)
  })

  test('of one pool never overlap, however long one takes; other pools are polled on schedule', async () => {
    const slow = Promise.withResolvers<FeedReading>()
    const nodes = vi.fn((pool: string) =>
      pool === 'slow' ? slow.promise : Promise.resolve(readingOf({ n1: 1 }, pool)),
    )
    const { up } = await setUp({ client: { nodes }, pools: ['slow', 'quick'] })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    const requested = nodes.mock.calls.map(([pool]) => pool)
    expect(requested.filter((pool) => pool === 'slow')).toHaveLength(1)
    expect(requested.filter((pool) => pool === 'quick')).toHaveLength(6)
    slow.resolve(readingOf({ n2: 2 }, 'slow'))
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(up()).toEqual({ slow: 1, quick: 1 })
  })

  test('of one pool fail without an effect on the values and polls of other pools', async () => {
    const nodes = vi.fn(async (pool: string) => {
      if (pool === 'broken') throw apiError('not_found')
      return readingOf({ n1: nodes.mock.calls.length }, pool)
    })
    const { up, logged, polls } = await setUp({ client: { nodes }, pools: ['broken', 'good'] })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(up()).toEqual({ broken: 0, good: 1 })
    expect(polls()).toEqual(['broken not_found 11', 'good ok 11'])
    expect(logged()).toEqual(['warn poll failed not_found'])
  })

  test('with an internal error fail with reason local, and log the error', async () => {
    const nodes = async (pool: string) => {
      if (pool === 'p') throw new TypeError('x is not a function')
      return readingOf({ n1: 1 }, pool)
    }
    const { up, logLines } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(up()).toEqual({ p: 0, q: 1 })
    expect(logLines()).toHaveLength(1)
    expect(logLines()[0]?.fields).toMatchObject({
      reason: 'local',
      error: expect.stringContaining('TypeError: x is not'),
    })
  })

  test('log the first failure, each further reason once, and the next success', async () => {
    const outcomes: (ApiError | undefined)[] = [
      undefined,
      apiError(),
      apiError(),
      apiError('reset'),
      apiError(),
      apiError('reset'),
      undefined,
      apiError(),
    ]
    const nodes = async () => {
      const outcome = outcomes.shift()
      if (outcome !== undefined) throw outcome
      return readingOf({ n1: 1 })
    }
    const { logged } = await setUp({ client: { nodes }, pools: ['p'] })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(logged()).toEqual([
      'warn poll failed timeout',
      'warn poll failed reset',
      'info poll works again',
      'warn poll failed timeout',
      'info poll works again',
    ])
  })

  test('are aborted by stop, and nothing runs after it', async () => {
    const nodes = vi.fn(
      (_pool: string, signal: AbortSignal) =>
        new Promise<FeedReading>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    )
    const { poller, logLines, polls, store } = await setUp({ client: { nodes }, pools: ['p'] })
    poller.useHistory(configOf('history: {enabled: true}').history)
    const stopped = poller.stop()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    await stopped
    expect(nodes).toHaveBeenCalledTimes(1)
    expect(store.system('a')?.tried).toBe(false)
    expect(logLines()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    expect(polls()).toEqual([])
  })

  test('that are under way are awaited by stop', async () => {
    const answer = Promise.withResolvers<FeedReading>()
    const { poller } = await setUp({ client: { nodes: () => answer.promise }, pools: ['p'] })
    let hasStopped = false
    const stopped = poller.stop().then(() => {
      hasStopped = true
    })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(hasStopped).toBe(false)
    answer.resolve(readingOf({ n1: 1 }))
    await vi.advanceTimersByTimeAsync(SECOND)
    await stopped
  })

  test('fail when the series of all pools together exceed the limit', async () => {
    const nodes = async (pool: string) => readingOf({ [`n-${pool}`]: 1 }, pool)
    const pools = ['p', 'q']
    const unbounded = await setUp({ client: { nodes }, pools })
    const bytes = bytesOf(unbounded.store.system('a') ?? newSystem('a'))
    const yaml = `${WITHOUT_PROVIDERS}}\nforecast: {schedule: ""}\nlimits: {max_response_bytes: ${bytes - 1}B}`
    const { polls, free } = await setUp({ client: { nodes }, pools, yaml })
    expect([polls(), free()]).toEqual([['p ok 1', 'q too_large 1'], { 'n-p': 1 }])
  })
})

describe('stale values', () => {
  test('are kept while polls fail, and withdrawn after stale_after', async () => {
    let failing = false
    const nodes = async () => (failing ? Promise.reject(apiError()) : readingOf({ n1: 1 }))
    const { free, up, logged } = await setUp({ client: { nodes }, pools: ['p'] })
    failing = true
    await vi.advanceTimersByTimeAsync(4.9 * MINUTE)
    expect([free(), up()]).toEqual([{ n1: 1 }, { p: 0 }])
    await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
    expect([free(), up()]).toEqual([{}, { p: 0 }])
    failing = false
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect([free(), up()]).toEqual([{ n1: 1 }, { p: 1 }])
    // Forecasts are off, also after a withdrawal.
    expect(logged()).toEqual(['warn poll failed timeout', 'info poll works again'])
  })

  test('are withdrawn also while a poll hangs, and after the clock was set', async () => {
    const outcomes = [readingOf({ n1: 1 })]
    const nodes = () => {
      const outcome = outcomes.shift()
      return outcome === undefined ? new Promise<never>(() => undefined) : Promise.resolve(outcome)
    }
    const { free } = await setUp({ client: { nodes }, pools: ['p'] })
    vi.setSystemTime(Date.UTC(2020, 0, 1))
    await vi.advanceTimersByTimeAsync(4.9 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
    await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
    expect(free()).toEqual({})
    running.splice(0)
  })

  test('are kept with a stale_after longer than the maximum of setTimeout', async () => {
    const { free } = await setUp({
      client: { nodes: async () => readingOf({ n1: 1 }) },
      pools: ['p'],
      yaml: `${WITHOUT_PROVIDERS}, schedule: "0 0 0 1 7 *", stale_after: 52w}\nforecast: {schedule: ""}`,
    })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
  })

  test('of an earlier poller are withdrawn on time, also while the list of pools fails', async () => {
    const first = await setUp({
      client: { nodes: async () => readingOf({ n1: 1 }), pools: async () => [{ id: 'p', name: 'x' }] },
    })
    await vi.advanceTimersByTimeAsync(MINUTE)
    await first.poller.stop()
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    const nodes = vi.fn(async () => Promise.reject(apiError('connect')))
    const pools = vi.fn(async () => Promise.reject(apiError('connect')))
    const { free } = await setUp({ client: { nodes, pools }, store: first.store })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
    expect(nodes).toHaveBeenCalled()
    expect(pools).toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(free()).toEqual({})
  })
})

test('an error while old values are dropped is logged', async () => {
  const store = await newStore()
  let isBroken = false
  const broken: StateStore = {
    ...store,
    update(...change) {
      if (isBroken) throw new Error('a bug')
      return store.update(...change)
    },
  }
  const { logLines } = await setUp({
    client: { nodes: async () => readingOf({ n1: 1 }) },
    pools: ['p'],
    store: broken,
    yaml: `${WITHOUT_PROVIDERS}, schedule: "0 0 0 1 7 *"}\nforecast: {schedule: ""}`,
  })
  isBroken = true
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(logLines()).toMatchObject([{ level: 'error', fields: { error: 'Error: a bug' } }])
})

describe('a system that is down', () => {
  /** A client with limits and circuit breaker around these requests. */
  function withBreaker(nodes: (pool: string, signal: AbortSignal) => Promise<FeedReading>): FakeClient {
    const { limits } = onlySystem(configOf())
    const readings = new Map<string, FeedReading>()
    const operate = createOperate({
      system: 'a',
      timeoutMs: 30 * SECOND,
      limits: createLimits({ ...limits, requestsPerSecond: 1000 }),
      breaker: createBreaker({ failuresToOpen: limits.concurrency + 1 }),
      attempts: createAttempts(['https://ecs1']),
      exchange: async ({ pool = '' }, _baseUrl, signal) => {
        readings.set(pool, await nodes(pool, signal))
        return responseOf(200)
      },
    })
    const request = (pool: string) => ({ operation: 'nodes', path: '/nodes', pool }) as const
    return {
      nodes: (pool, signal) => operate(request(pool), signal, () => readings.get(pool) ?? readingOf({})),
    }
  }

  /** A poller of pools that time out while they are in `silent`, and are refused while they are in `refused`. */
  async function setUpPools(count: number) {
    const pools = Array.from({ length: count }, (_, index) => `p${index}`)
    const silent = new Set<string>()
    const refused = new Set<string>()
    const requested: string[] = []
    const nodes = async (pool: string, signal: AbortSignal) => {
      requested.push(pool)
      if (refused.has(pool)) throw apiError('not_found')
      if (!silent.has(pool)) return readingOf({ n1: 1 }, pool)
      await pause(20 * SECOND, signal)
      throw apiError('timeout')
    }
    const parts = await setUp({ client: withBreaker(nodes), pools })
    await vi.advanceTimersByTimeAsync(SECOND)
    const valueOfAll = (value: number) => Object.fromEntries(pools.map((pool) => [pool, value]))
    return { ...parts, pools, silent, refused, requested, valueOfAll }
  }

  test('is detected with a few requests, then probed once a minute', async () => {
    const { up, polls, requested, silent, pools, valueOfAll, logLines } = await setUpPools(40)
    expect(up()).toEqual(valueOfAll(1))
    requested.length = 0
    for (const pool of pools) silent.add(pool)
    await vi.advanceTimersByTimeAsync(90 * SECOND)
    expect(up()).toEqual(valueOfAll(0))
    expect(requested.length).toBeLessThanOrEqual(12)
    expect(polls().filter((line) => line.startsWith('p39 timeout'))).toHaveLength(1)
    const errors = logLines().map(({ fields }) => fields['error'])
    expect(errors).toContainEqual(
      expect.stringContaining('no request was sent, because the system keeps failing'),
    )
    requested.length = 0
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(requested.length).toBeGreaterThan(50)
    expect(requested.length).toBeLessThanOrEqual(61)
  })

  test.each([3, 40])(
    'is up within 90 seconds with all of its %i pools, however long it was down',
    async (count) => {
      const { up, silent, pools, valueOfAll, free } = await setUpPools(count)
      for (const pool of pools) silent.add(pool)
      await vi.advanceTimersByTimeAsync(3 * 60 * MINUTE)
      expect(free()).toEqual({})
      silent.clear()
      await vi.advanceTimersByTimeAsync(90 * SECOND)
      expect(up()).toEqual(valueOfAll(1))
    },
  )
})

describe('pools that the system lists', () => {
  test('are added and removed with the list, and keep their values', async () => {
    let list = ['p', 'q']
    const nodes = async (pool: string) => readingOf({ [`node-${pool}`]: 1 }, pool)
    const pools = vi.fn(async () => list.map((id) => ({ id, name: undefined })))
    const { free, up, store, log } = await setUp({ client: { nodes, pools } })
    expect(free()).toEqual({ 'node-p': 1, 'node-q': 1 })
    list = ['q', 'r']
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(up()).toEqual({ q: 1, r: 1 })
    expect(free()).toEqual({ 'node-q': 1, 'node-r': 1 })
    expect(store.exposition().text('text').toString()).not.toContain('pool_id="p"')
    expect(pools).toHaveBeenCalledTimes(2)
    expect(
      log.lines.filter(({ message }) => message === 'polling pools').map(({ fields }) => fields),
    ).toEqual([
      { system: 'a', pools: 2, appeared: 'p, q', left: '' },
      { system: 'a', pools: 2, appeared: 'r', left: 'p' },
    ])
  })

  test('stay while the list fails', async () => {
    const pools = vi.fn(async () => [{ id: 'p', name: undefined }])
    const { up, logged } = await setUp({
      client: { nodes: async () => readingOf({ n1: 1 }), pools },
      yaml: `${WITHOUT_PROVIDERS}}\nforecast: {schedule: ""}\nresources: {}`,
    })
    pools.mockRejectedValue(apiError('timeout'))
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(up()).toEqual({ p: 1 })
    // One line, although the resource `pools` fails with it.
    expect(logged().filter((line) => line.includes('pools'))).toEqual([
      'warn discovery of pools failed timeout',
    ])
  })

  test('are not polled when the list is refused because its names exceed the limit', async () => {
    const unnamed = readingOf(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, 1])))
    const nodes = vi.fn(async () => ({
      ...unnamed,
      nodes: unnamed.nodes.map((node) => ({ ...node, poolName: undefined })),
    }))
    let list: readonly PoolRef[] = [{ id: 'p', name: undefined }]
    const client = { nodes, pools: async () => list }
    const unbounded = await setUp({ client })
    const bytes = bytesOf(unbounded.store.system('a') ?? newSystem('a'))
    await unbounded.poller.stop()
    const limits = `limits: {max_response_bytes: ${bytes + 10_000}B}`
    const { store, up } = await setUp({
      client,
      yaml: `${WITHOUT_PROVIDERS}}\nforecast: {schedule: ""}\n${limits}`,
    })
    list = [
      { id: 'p', name: 'x'.repeat(200) },
      { id: 'q', name: undefined },
    ]
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect([up(), store.system('a')?.discoveryFailure]).toMatchObject([{ p: 1 }, { reason: 'too_large' }])
    expect(nodes.mock.calls.map(([pool]: unknown[]) => pool)).not.toContain('q')
  })

  test('are polled on schedule while the list does not change, or hangs', async () => {
    let isHanging = false
    const list = async (): Promise<PoolRef[]> => [{ id: 'p', name: undefined }]
    const pools = vi.fn(() => (isHanging ? new Promise<never>(() => undefined) : list()))
    const nodes = vi.fn(async () => readingOf({ n1: nodes.mock.calls.length }))
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const yaml = `${WITHOUT_PROVIDERS}}\ndiscovery: {schedule: "45 * * * * *"}`
    const { free } = await setUp({ client: { nodes, pools, forecasts }, yaml })
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect([pools.mock.calls.length, forecasts.mock.calls.length, free()]).toEqual([21, 2, { n1: 21 }])
    isHanging = true
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect([pools.mock.calls.length, free()]).toEqual([22, { n1: 31 }])
    running.splice(0)
  })

  test('stay while their list is empty, which is a failure, until three lists confirm it', async () => {
    let list: readonly PoolRef[] = [{ id: 'p', name: 'p' }]
    const pools = vi.fn(async () => list)
    const { store, up } = await setUp({
      client: { pools, nodes: async (pool) => readingOf({ n1: 1 }, pool) },
      yaml: `${WITHOUT_PROVIDERS}}\ndiscovery: {schedule: "45 * * * * *"}\nforecast: {schedule: ""}`,
    })
    list = []
    pools.mockClear()
    await vi.advanceTimersByTimeAsync(MINUTE)
    // It is requested again at once, and with the next round.
    expect(pools.mock.calls.length).toBeGreaterThanOrEqual(2)
    expect(up()).toEqual({ p: 1 })
    expect(store.system('a')?.discoveryFailure).toMatchObject({ reason: 'unavailable' })
    list = [{ id: 'p', name: 'p' }]
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(store.system('a')?.discoveryFailure).toBeUndefined()
    list = []
    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    expect(up()).toEqual({})
    expect(store.system('a')?.discoveryFailure).toBeUndefined()
  })

  test('are used while their list hangs: a probe does not wait for it', async () => {
    const pools = vi.fn(async (_signal: AbortSignal): Promise<PoolRef[]> => [{ id: 'p', name: 'p' }])
    const { poller } = await setUp({ client: { pools, nodes: async (pool) => readingOf({ n1: 1 }, pool) } })
    pools.mockImplementation((signal) => pause(60 * MINUTE, signal).then(() => []))
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    const probed = poller.probe(undefined, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(SECOND)
    expect((await probed)?.text('text')).toContain('sds_probe_success{system="a"} 1')
  })

  test('are requested again after an empty list, also if the system was down before', async () => {
    let list: readonly PoolRef[] | undefined
    const pools = async () => {
      if (list === undefined) throw apiError('reset')
      return list
    }
    const { up } = await setUp({ client: { pools, nodes: async (pool) => readingOf({ n1: 1 }, pool) } })
    await vi.advanceTimersByTimeAsync(MINUTE)
    list = []
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    list = [{ id: 'p', name: 'p' }]
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(up()).toEqual({ p: 1 })
  })

  test('are requested again until there is a list', async () => {
    const pools = vi.fn(async () => Promise.reject<never>(apiError('schema')))
    const { store, up, logged } = await setUp({ client: { nodes: async () => readingOf({ n1: 1 }), pools } })
    const discoveryFailure = { reason: 'schema', at: expect.closeTo(Date.now() / SECOND, 0) }
    expect(store.system('a')).toMatchObject({ tried: true, discoveryFailure })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(pools.mock.calls.length).toBeGreaterThanOrEqual(3)
    pools.mockImplementation((async () => [{ id: 'p', name: undefined }]) as never)
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(up()).toEqual({ p: 1 })
    expect(store.system('a')?.discoveryFailure).toBeUndefined()
    expect(logged()).toEqual([
      'warn discovery of pools failed schema',
      'info discovery of pools works again',
      'info a resource is not available not_found',
    ])
  })
})

describe('forecasts', () => {
  const yaml = `${WITHOUT_PROVIDERS}}\nforecast: {time_frames: [7d]}`
  const days = (store: StateStore) => shown(store, 'sds_node_capacity_forecast_seconds', 'node')
  const nodes = async () => readingOf({ n1: 1 })

  test('are requested after the first poll, then on schedule', async () => {
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const { store } = await setUp({ client: { nodes, forecasts }, pools: ['p'], yaml })
    expect(days(store)).toEqual({ n1: 172_800 })
    await vi.advanceTimersByTimeAsync(59 * MINUTE)
    expect(forecasts).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(forecasts).toHaveBeenCalledTimes(2)
  })

  test('are requested for each time frame alone: one that fails leaves the others', async () => {
    const frames: string[] = []
    const client: FakeClient = {
      nodes,
      forecasts: async (_pool, { timeFrame }) => {
        frames.push(timeFrame)
        if (timeFrame === '4w') throw apiError('client_error')
        return readingOf({ n1: 1 }, 'sp1', '2')
      },
    }
    const { store, logged } = await setUp({ client, pools: ['p'], yaml: `${WITHOUT_PROVIDERS}}` })
    await vi.advanceTimersByTimeAsync(121 * MINUTE)
    expect(frames.toSorted()).toEqual(['4w', '4w', '4w', '7d', '7d', '7d'])
    expect(days(store)).toEqual({ n1: 172_800 })
    expect(logged()).toEqual(['warn forecast of 4w failed client_error'])
  })

  test('that are invalid are counted and logged, and the rest of the response is left to the polls', async () => {
    const invalid = [
      { attribute: 'allocatedCapacityForecast', reason: 'text', node: 'n1', text: 'n/a', times: 2 },
      { attribute: 'id', reason: 'no_id', node: '', text: 'x', times: 1 },
    ] as const
    const forecasts = async () => ({ ...readingOf({ n1: 1 }, 'sp1', '2'), rejected: invalid })
    const { store, logged } = await setUp({ client: { nodes, forecasts }, pools: ['p'], yaml })
    expect(logged()).toEqual(['warn a value of the dashboard API was not exported text'])
    const family = 'sds_api_rejected_values_total'
    expect(shown(store, family, 'attribute')).toEqual({ allocatedCapacityForecast: 2 })
  })

  test('that failed at the start are requested again before their schedule', async () => {
    const forecasts = vi.fn(async () => Promise.reject<never>(apiError('timeout')))
    const { store, logged } = await setUp({ client: { nodes, forecasts }, pools: ['p'], yaml })
    await vi.advanceTimersByTimeAsync(40 * MINUTE)
    expect(forecasts.mock.calls.length).toBeLessThanOrEqual(5)
    forecasts.mockImplementation((async () => readingOf({ n1: 1 }, 'sp1', '2')) as never)
    await vi.advanceTimersByTimeAsync(15 * MINUTE)
    expect(days(store)).toEqual({ n1: 172_800 })
    expect(logged()).toEqual(['warn forecast of 7d failed timeout', 'info forecast of 7d works again'])
  })

  test('are kept while they fail, until they are three intervals old', async () => {
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const { store } = await setUp({ client: { nodes, forecasts }, pools: ['p'], yaml })
    forecasts.mockRejectedValue(apiError('timeout'))
    await vi.advanceTimersByTimeAsync(179 * MINUTE)
    expect(days(store)).toEqual({ n1: 172_800 })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(days(store)).toEqual({})
  })

  test('of a system that was down are requested when it is up', async () => {
    let down = false
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const client = {
      forecasts,
      nodes: async () => (down ? Promise.reject(apiError()) : readingOf({ n1: 1 })),
    }
    const { store } = await setUp({ client, pools: ['p'], yaml })
    down = true
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(days(store)).toEqual({})
    down = false
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(days(store)).toEqual({ n1: 172_800 })
  })

  const ofProviders: SystemClient['resource'] = async (_, decode) =>
    decode({ authnprovider: [{ id: 'urn:x', name: 'ldap' }] }, { baseUrl: 'http://a', now: 0 })

  test('and the providers are removed when a reload turns them off', async () => {
    const client: Pick<SystemClient, 'nodes' | 'forecasts' | 'resource'> = {
      nodes: async () => readingOf({ n1: 1 }),
      forecasts: async () => readingOf({ n1: 1 }, 'sp1', '9'),
      resource: ofProviders,
    }
    const { store, poller } = await setUp({ client, pools: ['p'], yaml: '' })
    await vi.advanceTimersByTimeAsync(MINUTE)
    const families = ['sds_node_capacity_forecast_seconds', 'sds_authn_provider_info', 'sds_authn_providers']
    const seen = () => families.map((family) => Object.keys(shown(store, family, 'system')).length)
    expect(seen()).toEqual([1, 1, 1])
    await poller.stop()
    const { free } = await setUp({ client: { nodes: client.nodes }, pools: ['p'], store })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(seen()).toEqual([0, 0, 0])
    expect(free()).toEqual({ n1: 1 })
  })

  test('and the providers are kept by a reload that leaves them on', async () => {
    const client: FakeClient = {
      nodes: async () => readingOf({ n1: 1 }),
      forecasts: async () => readingOf({ n1: 1 }, 'sp1', '9'),
      resource: ofProviders,
    }
    const on = 'performance: {source: feed}'
    const { store, poller } = await setUp({ client, pools: ['p'], yaml: on })
    await poller.stop()
    await setUp({ client: { nodes: () => new Promise(() => undefined) }, pools: ['p'], store, yaml: on })
    const families = ['sds_node_capacity_forecast_seconds', 'sds_authn_provider_info', 'sds_authn_providers']
    expect(families.map((family) => Object.keys(shown(store, family, 'system')).length)).toEqual([1, 1, 1])
    running.splice(0)
  })

  test('do not delay polls', async () => {
    const forecasts = vi.fn(() => new Promise<never>(() => undefined))
    const polled = vi.fn(nodes)
    const { store } = await setUp({ client: { nodes: polled, forecasts }, pools: ['p'], yaml })
    expect(store.system('a')?.tried).toBe(true)
    await vi.advanceTimersByTimeAsync(125 * MINUTE)
    expect(polled).toHaveBeenCalledTimes(126)
    expect(forecasts).toHaveBeenCalledTimes(1)
    running.splice(0)
  })
})
