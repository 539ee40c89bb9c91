import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { HistoryReading, Period } from '../../src/api/history/history.ts'
import { historySeries } from '../../src/history/series.ts'
import { readPool } from '../../src/history/sources/feed_source.ts'
import { type ClientSetup, monitored, startClient, startEmulator } from '../api/client_setup.ts'

const START = 1_772_323_200
const HOURS = (count: number): Period => ({ start: START, end: START + count * 3600, interval: 300 })
const LIMITS = (bytes: string) =>
  `limits: {requests_per_second: 1000, max_response_bytes: ${bytes}}\npoll: {timeout: 30s}`

interface Read {
  readonly windows: readonly Period[]
  readonly times: ReadonlyMap<string, readonly number[]>
  readonly notices: readonly string[]
}

async function read(setup: ClientSetup, poolId: string, period: Period, points: number): Promise<Read> {
  const windows: Period[] = []
  const notices: string[] = []
  const times = new Map<string, number[]>()
  const signal = new AbortController().signal
  const notice = (text: string) => notices.push(text)
  for await (const window of readPool({ client: setup.client, poolId, period, points, notice, signal })) {
    windows.push(window.period)
    for (const { family, labels, times: own } of historySeries(window.reading, { system: 'a', pool: 'p' })) {
      const key = `${family} ${Object.values(labels).join(' ')}`
      times.set(key, [...(times.get(key) ?? []), ...own])
    }
  }
  return { windows, times, notices }
}

const grid = ({ start, end, interval }: Period) =>
  Array.from({ length: (end - start) / interval }, (_, index) => start + index * interval)

/** Every series but those of error types has every point once, in order. */
function expectGrid({ times }: Read, expected: readonly number[]): void {
  expect(times.size).toBeGreaterThan(30)
  for (const [key, own] of times) {
    if (key.includes('by_type')) expect(own).toEqual([...new Set(own)].toSorted((a, b) => a - b))
    else expect([key, own]).toEqual([key, expected])
  }
}

async function withSystem<T>(
  faults: readonly string[],
  task: (setup: ClientSetup, pool: string) => Promise<T>,
  limits = LIMITS('16MiB'),
): Promise<T> {
  await using emulator = await startEmulator({ nodes: 1, pools: 1, faults })
  await using setup = startClient(monitored(emulator.url), limits)
  return await task(setup, emulator.pools[0]?.id ?? '')
}

describe('reading a pool', () => {
  test.each([1, 5, 12, 500])('in windows of %d points loses and doubles nothing', async (points) => {
    const period = HOURS(3)
    const result = await withSystem([], (setup, pool) => read(setup, pool, period, points))
    expect(result.windows).toHaveLength(Math.ceil(36 / points))
    expectGrid(result, grid(period))
    expect(result.notices).toEqual([])
  })

  test('halves the windows when responses are too large', async () => {
    const period = HOURS(3)
    const result = await withSystem([], (setup, pool) => read(setup, pool, period, 36), LIMITS('100KiB'))
    expect(result.windows.length).toBeGreaterThan(3)
    expectGrid(result, grid(period))
  })

  test('fails with the limit when a single point is too large', async () => {
    const reading = withSystem([], (setup, pool) => read(setup, pool, HOURS(1), 12), LIMITS('2KiB'))
    const message = expect.stringContaining('max_response_bytes')
    await expect(reading).rejects.toMatchObject({ reason: 'too_large', message })
  })

  test('uses the period and the step of a system that ignores parameters, and says so', async () => {
    const end = Math.floor(Date.now() / 3_600_000) * 3600
    const period = { start: end - 10 * 86_400, end, interval: 300 }
    const { result, requests } = await withSystem(['fixed-history'], async (setup, pool) => ({
      result: await read(setup, pool, period, 12),
      requests: setup.exchanges.filter((line) => line === 'history 200').length,
    }))
    // The request that showed it, one for the whole rest, and none after that.
    expect(requests).toBe(2)
    expect(result.windows).toEqual([period])
    for (const own of result.times.values()) {
      for (const t of own) expect([t % 3600, t >= end - 5 * 86_400 - 3600, t < end]).toEqual([0, true, true])
    }
    expect([...result.times.values()].some((own) => own.length >= 118)).toBe(true)
    expect(result.notices).toEqual([
      'the system serves points every 3600 s instead of every 300 s',
      'the system does not regard startTime and endTime: what it sent is used, and it is not requested again',
    ])
  })
})

describe('with a client of the test', () => {
  const served = { points: 0, farPoints: 0, step: Number.POSITIVE_INFINITY }
  const EMPTY: HistoryReading = { nodes: [], served, rejected: [] }
  const run = async (
    history: (pool: string, period: Period) => Promise<HistoryReading>,
    { points = 4, ...more }: { points?: number; maxRepetitions?: number } = {},
  ) => {
    const windows: Period[] = []
    const signal = new AbortController().signal
    const own = { poolId: 'p', period: HOURS(1), points, notice: () => undefined, signal, firstPauseMs: 1 }
    const options = { ...own, ...more }
    for await (const window of readPool({ client: { history }, ...options })) windows.push(window.period)
    return windows
  }

  test.each([
    ['unavailable', 7, {}],
    ['forbidden', 1, {}],
    ['client_error', 1, {}],
    ['unavailable', 1, { maxRepetitions: 0 }],
    ['timeout', 1, { maxRepetitions: 0 }],
    // The window is halved.
    ['too_large', 3, { maxRepetitions: 0 }],
  ] as const)('gives up when the answer is %s, after %i requests with %j', async (reason, times, options) => {
    let requests = 0
    const failing = async () => {
      requests += 1
      throw new ApiError(reason, 'no')
    }
    await expect(run(failing, options)).rejects.toMatchObject({ reason })
    expect(requests).toBe(times)
  })

  test('halves a window that takes too long', async () => {
    const asked: number[] = []
    const windows = await run(async (_, { start, end, interval }) => {
      asked.push((end - start) / interval)
      if (end - start > 600) throw new ApiError('timeout', 'too slow')
      return EMPTY
    })
    expect(asked.slice(0, 2)).toEqual([4, 2])
    expect(windows.map(({ start, end }) => end - start)).toEqual(Array(6).fill(600))
  })
})
