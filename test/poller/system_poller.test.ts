import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { FeedReading } from '../../src/api/feed/feed.ts'
import type { PoolRef } from '../../src/api/feed/pools.ts'
import { pause } from '../../src/api/http/deadline.ts'
import { createAttempts } from '../../src/api/request/attempts.ts'
import { createBreaker } from '../../src/api/request/breaker.ts'
import { createLimits } from '../../src/api/request/limits.ts'
import { createOperate } from '../../src/api/request/operation.ts'
import type { Board } from '../../src/poller/board.ts'
import { createSystemPoller, type SystemPoller } from '../../src/poller/system_poller.ts'
import { answerOf } from '../api/http/answers.ts'
import {
  boardOfA,
  clientOf,
  configOf,
  onlySystem,
  ownMetrics,
  readingOf,
  recordingLog,
  shown,
} from './plant.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const SILENT = 'providers: {schedule: ""}\npoll: {max_random_delay: 0s'
const bad = (reason: ApiError['reason'] = 'timeout') => new ApiError(reason, 'bad')
const running: SystemPoller[] = []

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 0, 30) }))
afterEach(async () => {
  const stopped = Promise.all(running.splice(0).map((poller) => poller.stop()))
  await vi.advanceTimersByTimeAsync(SECOND)
  await stopped
  vi.useRealTimers()
})

interface PlantOptions {
  readonly client: Partial<SystemClient>
  readonly yaml?: string
  /** Ids of the pools in the configuration; none: discovered. */
  readonly pools?: readonly string[]
  readonly board?: Board
}

/** A system poller with a client made of functions. */
async function plant({ client, yaml = `${SILENT}}\nforecast: {schedule: ""}`, pools, board }: PlantOptions) {
  const list = pools === undefined ? '' : `, pools: [${pools.map((id) => `{id: ${id}}`).join(', ')}]`
  const config = configOf(yaml, `{name: a, base_url: "http://127.0.0.1:1", auth: {token: t}${list}}`)
  const log = recordingLog()
  /** What is logged besides the pools that are polled. */
  const troubles = () => log.lines.filter(({ message }) => message !== 'polling pools')
  const own = ownMetrics()
  const shownOn = board ?? (await boardAt())
  const poller = createSystemPoller({
    system: onlySystem(config),
    config,
    client: clientOf(client),
    board: shownOn,
    own,
    log,
  })
  running.push(poller)
  poller.start()
  await vi.advanceTimersByTimeAsync(20)
  return {
    board: shownOn,
    log,
    poller,
    troubles,
    logged: () =>
      troubles().map(({ level, message, fields }) => `${level} ${message} ${fields['reason'] ?? ''}`.trim()),
    polls: async () =>
      [
        ...(await own.render('text')).matchAll(
          /^sds_pool_polls_total\{.*pool_id="(\w+)",result="(\w+)"\} (\d+)$/gm,
        ),
      ].map(([, pool, result, count]) => `${pool} ${result} ${count}`),
    free: () => shown(shownOn, 'sds_node_disk_space_free_bytes', 'node'),
    up: () => shown(shownOn, 'sds_pool_up', 'pool_id'),
  }
}

async function boardAt(): Promise<Board> {
  const board = boardOfA()
  await vi.advanceTimersByTimeAsync(1)
  return board
}

describe('polls', () => {
  test('begin at once, and follow the schedule', async () => {
    const nodes = vi.fn(async () => readingOf({ n1: nodes.mock.calls.length }))
    const { free, poller } = await plant({ client: { nodes }, pools: ['p'] })
    expect(free()).toEqual({ n1: 1 })
    expect(poller.nextPoll()).toBe(Date.UTC(2026, 0, 1, 12, 1))
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(free()).toEqual({ n1: 4 })
  })

  test('of one pool never run twice at a time, however long one takes; the others go on', async () => {
    const slow = Promise.withResolvers<FeedReading>()
    const nodes = vi.fn((pool: string) =>
      pool === 'slow' ? slow.promise : Promise.resolve(readingOf({ n1: 1 }, pool)),
    )
    const { up } = await plant({ client: { nodes }, pools: ['slow', 'quick'] })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    const asked = nodes.mock.calls.map(([pool]) => pool)
    expect(asked.filter((pool) => pool === 'slow')).toHaveLength(1)
    expect(asked.filter((pool) => pool === 'quick')).toHaveLength(6)
    slow.resolve(readingOf({ n2: 2 }, 'slow'))
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(up()).toEqual({ slow: 1, quick: 1 })
  })

  test('of one pool fail by themselves: the others keep their values and their pace', async () => {
    const nodes = vi.fn(async (pool: string) => {
      if (pool === 'broken') throw bad('not_found')
      return readingOf({ n1: nodes.mock.calls.length }, pool)
    })
    const { up, logged, polls } = await plant({ client: { nodes }, pools: ['broken', 'good'] })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(up()).toEqual({ broken: 0, good: 1 })
    expect(await polls()).toEqual(['broken not_found 11', 'good ok 11'])
    expect(logged()).toEqual(['warn poll failed not_found'])
  })

  test('that hit a fault of the program fail as local, and say what it was', async () => {
    const nodes = async (pool: string) => {
      if (pool === 'p') throw new TypeError('x is not a function')
      return readingOf({ n1: 1 }, pool)
    }
    const { up, troubles } = await plant({ client: { nodes }, pools: ['p', 'q'] })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(up()).toEqual({ p: 0, q: 1 })
    expect(troubles()).toHaveLength(1)
    expect(troubles()[0]?.fields).toMatchObject({
      reason: 'local',
      error: expect.stringContaining('TypeError: x is not'),
    })
  })

  test('log a failure once, each further reason once, and the end of all of them', async () => {
    const outcomes: (ApiError | undefined)[] = [
      undefined,
      bad(),
      bad(),
      bad('reset'),
      bad(),
      bad('reset'),
      undefined,
      bad(),
    ]
    const nodes = async () => {
      const outcome = outcomes.shift()
      if (outcome !== undefined) throw outcome
      return readingOf({ n1: 1 })
    }
    const { logged } = await plant({ client: { nodes }, pools: ['p'] })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(logged()).toEqual([
      'warn poll failed timeout',
      'warn poll failed reset',
      'info poll works again',
      'warn poll failed timeout',
      'info poll works again',
    ])
  })

  test('log a rejected value once, and count it each time', async () => {
    const nodes = async () => ({
      ...readingOf({ n1: 1 }),
      rejected: [{ attribute: 'id', reason: 'no_id', node: '', text: 'x', times: 2 }] as const,
    })
    const { logged } = await plant({ client: { nodes }, pools: ['p', 'q'] })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(logged()).toEqual(['warn a value of the feed was not exported no_id'])
  })

  test('end at the stop, and nothing runs after it', async () => {
    const nodes = vi.fn(
      (_pool: string, signal: AbortSignal) =>
        new Promise<FeedReading>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    )
    const { poller, troubles, polls } = await plant({ client: { nodes }, pools: ['p'] })
    const stopped = poller.stop()
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    await stopped
    expect(nodes).toHaveBeenCalledTimes(1)
    expect(troubles()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    expect(await polls()).toEqual([])
  })
})

describe('old values', () => {
  test('are kept while polls fail, and withdrawn when nobody renewed them in time', async () => {
    let failing = false
    const nodes = async () => (failing ? Promise.reject(bad()) : readingOf({ n1: 1 }))
    const { free, up } = await plant({ client: { nodes }, pools: ['p'] })
    failing = true
    await vi.advanceTimersByTimeAsync(4.9 * MINUTE)
    expect([free(), up()]).toEqual([{ n1: 1 }, { p: 0 }])
    await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
    expect([free(), up()]).toEqual([{}, { p: 0 }])
    failing = false
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect([free(), up()]).toEqual([{ n1: 1 }, { p: 1 }])
  })

  test('are withdrawn also when a poll hangs, or the clock is set', async () => {
    const outcomes = [readingOf({ n1: 1 })]
    const nodes = () => {
      const outcome = outcomes.shift()
      return outcome === undefined ? new Promise<never>(() => undefined) : Promise.resolve(outcome)
    }
    const { free } = await plant({ client: { nodes }, pools: ['p'] })
    vi.setSystemTime(Date.UTC(2020, 0, 1))
    await vi.advanceTimersByTimeAsync(4.9 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
    await vi.advanceTimersByTimeAsync(0.2 * MINUTE)
    expect(free()).toEqual({})
    running.splice(0)
  })

  test('may be allowed to become older than a timer can wait', async () => {
    const { free } = await plant({
      client: { nodes: async () => readingOf({ n1: 1 }) },
      pools: ['p'],
      yaml: `${SILENT}, schedule: "0 0 0 1 1 *", stale_after: 52w}\nforecast: {schedule: ""}`,
    })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
  })

  test('that a poller takes over are withdrawn on time, also when it cannot list its pools', async () => {
    const first = await plant({
      client: { nodes: async () => readingOf({ n1: 1 }), pools: async () => [{ id: 'p', name: 'x' }] },
    })
    await vi.advanceTimersByTimeAsync(MINUTE)
    await first.poller.stop()
    const nodes = vi.fn(async () => Promise.reject(bad('connect')))
    const pools = vi.fn(async () => Promise.reject(bad('connect')))
    const { free } = await plant({ client: { nodes, pools }, board: first.board })
    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    expect(free()).toEqual({ n1: 1 })
    expect(nodes).toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(free()).toEqual({})
  })
})

describe('a system that is down', () => {
  /** The client's limits and circuit breaker around requests that are made of functions. */
  function withBreaker(
    nodes: (pool: string, signal: AbortSignal) => Promise<FeedReading>,
  ): Partial<SystemClient> {
    const { limits } = configOf()
    const readings = new Map<string, FeedReading>()
    const operate = createOperate({
      system: 'a',
      timeoutMs: 30 * SECOND,
      limits: createLimits({ ...limits, requestsPerSecond: 1000 }),
      breaker: createBreaker({ failuresToOpen: limits.concurrency + 1 }),
      attempts: createAttempts(['https://ecs1']),
      exchange: async ({ pool = '' }, _baseUrl, signal) => {
        readings.set(pool, await nodes(pool, signal))
        return answerOf(200)
      },
    })
    const request = (pool: string) => ({ operation: 'nodes', path: '/nodes', pool }) as const
    return {
      nodes: (pool, signal) => operate(request(pool), signal, () => readings.get(pool) ?? readingOf({})),
    }
  }

  /** Pools of which the test decides which are silent. */
  async function setUpPools(count: number) {
    const pools = Array.from({ length: count }, (_, index) => `p${index}`)
    const silent = new Set<string>()
    const asked: string[] = []
    const nodes = async (pool: string, signal: AbortSignal) => {
      asked.push(pool)
      if (!silent.has(pool)) return readingOf({ n1: 1 }, pool)
      await pause(20 * SECOND, signal)
      throw bad('timeout')
    }
    const parts = await plant({ client: withBreaker(nodes), pools })
    await vi.advanceTimersByTimeAsync(SECOND)
    const valueOfAll = (value: number) => Object.fromEntries(pools.map((pool) => [pool, value]))
    return { ...parts, pools, silent, asked, valueOfAll }
  }

  test('is noticed by a few requests, then asked about once a minute', async () => {
    const { up, polls, asked, silent, pools, valueOfAll, troubles } = await setUpPools(40)
    expect(up()).toEqual(valueOfAll(1))
    asked.length = 0
    for (const pool of pools) silent.add(pool)
    await vi.advanceTimersByTimeAsync(90 * SECOND)
    expect(up()).toEqual(valueOfAll(0))
    expect(asked.length).toBeLessThanOrEqual(12)
    expect((await polls()).filter((line) => line.startsWith('p39 timeout'))).toHaveLength(1)
    const errors = troubles().map(({ fields }) => fields['error'])
    expect(errors).toContainEqual(expect.stringContaining('not asked, because the system keeps failing'))
    asked.length = 0
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(asked.length).toBeGreaterThan(50)
    expect(asked.length).toBeLessThanOrEqual(61)
  })

  test.each([3, 40])(
    'is back within 90 seconds with all of its %i pools, however long it was away',
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

  test('is back also when some of its pools stay silent', async () => {
    const { up, silent, pools } = await setUpPools(6)
    for (const pool of pools) silent.add(pool)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    for (const pool of pools.slice(2)) silent.delete(pool)
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    for (let minute = 0; minute < 10; minute += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE)
      expect(up()).toEqual({ p0: 0, p1: 0, p2: 1, p3: 1, p4: 1, p5: 1 })
    }
  })

  test.each([1, 4, 6, 11])('is not made out of %i of 12 pools that stay silent', async (count) => {
    const { up, silent, pools } = await setUpPools(12)
    for (const pool of pools.slice(0, count)) silent.add(pool)
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    for (let minute = 0; minute < 10; minute += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE)
      expect(up()).toEqual(Object.fromEntries(pools.map((pool, index) => [pool, index < count ? 0 : 1])))
    }
  })

  test('that forgot one pool is up', async () => {
    let failure: ApiError | undefined
    const nodes = vi.fn(async (pool: string) => {
      if (failure !== undefined && (failure.reason === 'connect' || pool === 'p')) throw failure
      return readingOf({ n1: 1 }, pool)
    })
    const { up } = await plant({ client: { nodes }, pools: ['p', 'q'] })
    failure = bad('connect')
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    failure = bad('not_found')
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(up()).toEqual({ p: 0, q: 1 })
  })

  test('was tried, so that the exporter is ready', async () => {
    const { board } = await plant({ client: { nodes: async () => Promise.reject(bad()) }, pools: ['p'] })
    expect(board.system('a')?.tried).toBe(true)
  })
})

describe('pools that the system lists', () => {
  test('appear and vanish with the list, and keep what is known of them', async () => {
    let list = ['p', 'q']
    const nodes = async (pool: string) => readingOf({ [`node-${pool}`]: 1 }, pool)
    const pools = vi.fn(async () => list.map((id) => ({ id, name: undefined })))
    const { free, up, polls, log } = await plant({ client: { nodes, pools } })
    expect(free()).toEqual({ 'node-p': 1, 'node-q': 1 })
    list = ['q', 'r']
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(up()).toEqual({ q: 1, r: 1 })
    expect(free()).toEqual({ 'node-q': 1, 'node-r': 1 })
    expect((await polls()).filter((line) => line.startsWith('p'))).toEqual([])
    expect(pools).toHaveBeenCalledTimes(2)
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { system: 'a', pools: 2, appeared: 'p q', left: '' },
      { system: 'a', pools: 2, appeared: 'r', left: 'p' },
    ])
  })

  test('stay when the list cannot be had for a while', async () => {
    const pools = vi.fn(async () => [{ id: 'p', name: undefined }])
    const { up, logged } = await plant({ client: { nodes: async () => readingOf({ n1: 1 }), pools } })
    pools.mockRejectedValue(bad('forbidden'))
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect(up()).toEqual({ p: 1 })
    expect(logged()).toEqual(['warn discovery of pools failed forbidden'])
  })

  test('are asked for again after there were none, also when the system was down before', async () => {
    let list: readonly PoolRef[] | undefined
    const pools = async () => {
      if (list === undefined) throw bad('reset')
      return list
    }
    const { up } = await plant({ client: { pools, nodes: async (pool) => readingOf({ n1: 1 }, pool) } })
    await vi.advanceTimersByTimeAsync(MINUTE)
    list = []
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    list = [{ id: 'p', name: 'p' }]
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(up()).toEqual({ p: 1 })
  })

  test('are asked for again until there is a list', async () => {
    const pools = vi.fn(async () => Promise.reject<never>(bad('schema')))
    const { board, up, logged } = await plant({ client: { nodes: async () => readingOf({ n1: 1 }), pools } })
    expect(board.system('a')).toMatchObject({ tried: true, discoveryFailure: { reason: 'schema' } })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(pools.mock.calls.length).toBeGreaterThanOrEqual(3)
    pools.mockImplementation((async () => [{ id: 'p', name: undefined }]) as never)
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(up()).toEqual({ p: 1 })
    expect(board.system('a')?.discoveryFailure).toBeUndefined()
    expect(logged()).toEqual(['warn discovery of pools failed schema', 'info discovery of pools works again'])
  })
})

describe('forecasts', () => {
  const yaml = `${SILENT}}`
  const days = (board: Board) => shown(board, 'sds_node_capacity_forecast_seconds', 'node')
  const nodes = async () => readingOf({ n1: 1 })

  test('come with the first poll, then once a schedule', async () => {
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const { board } = await plant({ client: { nodes, forecasts }, pools: ['p'], yaml })
    expect(days(board)).toEqual({ n1: 172_800 })
    await vi.advanceTimersByTimeAsync(59 * MINUTE)
    expect(forecasts).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(forecasts).toHaveBeenCalledTimes(2)
  })

  test('that failed at the start are asked for again before their schedule', async () => {
    const forecasts = vi.fn(async () => Promise.reject<never>(bad('timeout')))
    const { board } = await plant({ client: { nodes, forecasts }, pools: ['p'], yaml })
    await vi.advanceTimersByTimeAsync(58 * MINUTE)
    expect(forecasts.mock.calls.length).toBeLessThanOrEqual(6)
    forecasts.mockImplementation((async () => readingOf({ n1: 1 }, 'sp1', '2')) as never)
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(days(board)).toEqual({ n1: 172_800 })
  })

  test('that are refused are left to the schedule', async () => {
    const forecasts = vi.fn(async () => Promise.reject<never>(bad('client_error')))
    const { logged } = await plant({ client: { nodes, forecasts }, pools: ['p'], yaml })
    await vi.advanceTimersByTimeAsync(3 * 60 * MINUTE)
    expect(forecasts).toHaveBeenCalledTimes(4)
    expect(logged()).toEqual(['warn forecast failed client_error'])
  })

  test('survive one failure, not two', async () => {
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const { board } = await plant({ client: { nodes, forecasts }, pools: ['p'], yaml })
    forecasts.mockRejectedValue(bad('client_error'))
    await vi.advanceTimersByTimeAsync(61 * MINUTE)
    expect(days(board)).toEqual({ n1: 172_800 })
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(days(board)).toEqual({})
  })

  test('of a system that was away come back with it', async () => {
    let down = false
    const forecasts = vi.fn(async () => readingOf({ n1: 1 }, 'sp1', '2'))
    const client = { forecasts, nodes: async () => (down ? Promise.reject(bad()) : readingOf({ n1: 1 })) }
    const { board } = await plant({ client, pools: ['p'], yaml })
    down = true
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(days(board)).toEqual({})
    down = false
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect(days(board)).toEqual({ n1: 172_800 })
  })

  test('and the inventory go when a reload turns them off', async () => {
    const client = {
      nodes: async () => readingOf({ n1: 1 }),
      forecasts: async () => readingOf({ n1: 1 }, 'sp1', '9'),
      read: async () => '{"authnprovider":[{"id":"urn:x","name":"ldap"}]}',
    }
    const { board, poller } = await plant({ client, pools: ['p'], yaml: '' })
    await vi.advanceTimersByTimeAsync(MINUTE)
    const families = ['sds_node_capacity_forecast_seconds', 'sds_authn_provider_info', 'sds_authn_providers']
    const seen = () => families.map((family) => Object.keys(shown(board, family, 'system')).length)
    expect(seen()).toEqual([1, 1, 1])
    await poller.stop()
    const { free } = await plant({ client: { nodes: client.nodes }, pools: ['p'], board })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(seen()).toEqual([0, 0, 0])
    expect(free()).toEqual({ n1: 1 })
  })

  test('do not hold up the polls', async () => {
    const forecasts = vi.fn(() => new Promise<never>(() => undefined))
    const polled = vi.fn(nodes)
    const { board } = await plant({ client: { nodes: polled, forecasts }, pools: ['p'], yaml })
    expect(board.system('a')?.tried).toBe(true)
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(polled).toHaveBeenCalledTimes(6)
    expect(forecasts).toHaveBeenCalledTimes(1)
    running.splice(0)
  })
})
